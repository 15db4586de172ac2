import { TextSchema } from '@runledger/protocol'
import { code } from '@runledger/presentation'
import * as z from 'zod'
import { findRunId } from '../ask/run'
import { CommandError } from '../command-error'
import { RunSchema } from './inputs'
import { defineTool, type Tool } from './tool'

const MAX_NOTE = 1_000

const annotateTool = defineTool({
  name: 'annotate_run',
  title: 'Annotate a test run',
  description:
    'Adds an entry to the report variables of a run, such as a note on why it failed. What is there already stays, unless `replace` names it.',
  input: z.strictObject({
    run: RunSchema,
    key: z
      .string()
      .regex(/^[\w.:+-]{1,100}$/, 'must be letters from A to Z, digits and "_ . : + -"')
      .default('note'),
    value: TextSchema.min(1).max(MAX_NOTE),
    replace: z.boolean().default(false).describe('Whether an entry of this key may be replaced'),
  }),
  isWriting: true,
  answer: async ({ client }, { run, key, value, replace }) => {
    const id = await findRunId(client, run)
    const { data } = await client.listRuns({ query: { ids: [id], include_metadata: true } })
    const former = data[0]?.metadata?.[key]
    if (former !== undefined && !replace)
      throw new CommandError(
        `the run has ${code(key)} already, as ${code(String(former))}: use another key, or set \`replace\``,
      )
    await client.updateRunMetadata({ params: { id }, body: { metadata: { [key]: value } } })
    return `Run ${code(id)} has ${code(key)}: ${code(String(value))}\n`
  },
})

export const WRITE_TOOLS: readonly Tool[] = [annotateTool]
