import { RunListPageQuerySchema } from '@runledger/protocol'
import { z } from 'zod'
import { parseInput, readQuery } from './call/input'
import { readSnapshot } from './call/snapshot'
import { OPERATION_PAGES } from './operation-pages'
import type { MarkdownPage } from './markdown-page'
import { writeRun, writeRunList } from './runs/markdown'

export const RUN_MARKDOWN_PATH = '/runs/{id}.md'
export const RUN_LIST_MARKDOWN_PATH = '/runs.md'

const ParamsSchema = z.object({ id: z.string() })

export const MARKDOWN_PAGES: readonly MarkdownPage[] = [
  ...OPERATION_PAGES,
  {
    path: RUN_MARKDOWN_PATH,
    operation: 'getRunMarkdown',
    write: (context, { params, signal }) =>
      readSnapshot(context, signal, async (reading) =>
        writeRun(reading, parseInput(ParamsSchema, params).id),
      ),
  },
  {
    path: RUN_LIST_MARKDOWN_PATH,
    operation: 'listRunsMarkdown',
    write: (context, { query, signal }) =>
      readSnapshot(context, signal, async (reading) =>
        writeRunList(reading, parseInput(RunListPageQuerySchema, readQuery(query))),
      ),
  },
]
