import { RunListPageQuerySchema } from '@runledger/protocol'
import { z } from 'zod'
import type { Context } from './call/context'
import { parseInput, readQuery } from './call/input'
import { readSnapshot } from './call/snapshot'
import { writeRun, writeRunList } from './runs/markdown'

export const RUN_MARKDOWN_PATH = '/runs/{id}.md'
export const RUN_LIST_MARKDOWN_PATH = '/runs.md'

interface PageRequest {
  params: unknown
  query: unknown
  /** Aborts when the client has gone. */
  signal: AbortSignal
}

/** A page of the dashboard as Markdown, for a shell or an assistant. */
export interface MarkdownPage {
  path: string
  operation: string
  write(context: Context, request: PageRequest): Promise<string>
}

const ParamsSchema = z.object({ id: z.string() })

export const MARKDOWN_PAGES: readonly MarkdownPage[] = [
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
