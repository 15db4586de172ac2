import { normalizeServiceUrl, type Service } from '@runledger/core/tools'
import { code, codeBlock, formatRunList } from '@runledger/presentation'
import { CUT_MARK, FilterTextSchema, type Page, type RunListItem } from '@runledger/protocol'
import * as z from 'zod'
import { type AttachmentText, MAX_TEXT_BYTES, readAttachmentText } from '../ask/attachment'
import { findRunId, readRunPage } from '../ask/run'
import { listRuns } from '../ask/runs'
import { filterFields, pageFields, RunSchema } from './inputs'
import { defineTool } from './tool'

const LOG = 'log'

export const runsTool = defineTool({
  name: 'runs',
  title: 'Runs, one run, or a log of it',
  description: `Without \`run\`: runs, newest first. A run is what one test file came to in one execution, or a unit on a bench. With \`run\`: why it failed, all of it, the end of its log, the names of its attachments. With \`attachment\` too: at most ${MAX_TEXT_BYTES} bytes of one that is text; \`${LOG}\` is the log of its test file.`,
  input: z.strictObject({
    run: RunSchema.optional(),
    attachment: z.string().min(1).max(1_000).optional().describe('Name of an attachment, or `log`'),
    offset: z.int().min(0).optional().describe('Byte to begin with; left out, the end is read'),
    ...filterFields,
    ...pageFields,
    search: FilterTextSchema.optional().describe(
      'A text in ids, serial numbers, files, branches, commits, procedures',
    ),
  }),
  answer: async (service, { run, attachment, offset, ...filter }) => {
    if (run === undefined) return formatRuns(await listRuns(service.client, filter), service)
    const runId = await findRunId(service.client, run)
    if (attachment === undefined) return readRunPage(service, runId)
    const name = attachment === LOG ? undefined : attachment
    return formatAttachmentText(await readAttachmentText(service, { runId, name, offset }))
  },
})

function formatRuns({ data, meta }: Page<RunListItem>, { url }: Service): string {
  return formatRunList({
    runs: data,
    filter: [],
    group: undefined,
    nextAddress: meta.next_cursor === null ? undefined : `ask again with \`cursor\` ${meta.next_cursor}`,
    linkRun: ({ id }) => `${normalizeServiceUrl(url)}/runs/${id}`,
  })
}

function formatAttachmentText({ name, text, start, end, size }: AttachmentText): string {
  const facts = [
    size === 0 ? 'It is empty.' : `Bytes ${start} to ${end} of ${size}.`,
    start > 0 ? `What is before: \`offset\` ${Math.max(0, start - MAX_TEXT_BYTES)}.` : '',
    end < size ? `What follows: \`offset\` ${end}.` : '',
  ].filter((fact) => fact !== '')
  // Room for all of it: replaced bytes take three each.
  const block = size === 0 ? '' : `\n\n${codeBlock(text, '', 3 * MAX_TEXT_BYTES + CUT_MARK.length)}`
  return `# ${code(name)}\n\n${facts.join(' ')}${block}\n`
}
