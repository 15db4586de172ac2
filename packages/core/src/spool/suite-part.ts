import { z } from 'zod'
import type { Inspections } from '../attachment/inspect-attachments'
import type { RunContext } from '../run/map-suite'
import type { RunSource } from '../run/run-source'
import type { Attachment, Suite } from '../suite'
import { SpoolHeadSchema } from './spool-entry'

/** An attachment of a suite in the spool: where its bytes are kept, or why it cannot go. */
interface StoredAttachment {
  name: string
  contentType?: string | undefined
  kept?: { file: string; sizeBytes: number; sha256: string } | undefined
  refusal?: string | undefined
}

/** A suite whose attachments are stored ones, in their places. */
type StoredSuite = Record<string, unknown> & { attachments: StoredAttachment[] }

const STORED_SUITE_SHAPE = z.looseObject({
  project: z.string(),
  file: z.string(),
  startedAtMs: z.number(),
  durationMs: z.number(),
  outcome: z.enum(['passed', 'failed']),
  tests: z.array(z.looseObject({ attempts: z.array(z.looseObject({ attachments: z.array(z.unknown()) })) })),
  problems: z.array(z.unknown()),
  output: z.array(z.unknown()),
  attachments: z.array(z.unknown()),
})

/** What mapping needs beside suites, as it can be written down. */
export type StoredContext = Omit<RunContext, 'inspections'>

const CONTEXT_SHAPE = z.looseObject({
  facts: z.looseObject({ framework: z.string(), frameworkVersion: z.string() }),
  procedureId: z.string(),
  unit: z.looseObject({ serial_number: z.string() }),
  submissionId: z.string(),
})

/** One suite of a run that several suites share, with all that is needed to make the run of those there are. */
export const SuitePartSchema = SpoolHeadSchema.extend({
  source: z.object({ project: z.string(), file: z.string(), namesFiles: z.boolean() }),
  context: z.custom<StoredContext>((value) => CONTEXT_SHAPE.safeParse(value).success),
  suite: z.custom<StoredSuite>((value) => STORED_SUITE_SHAPE.safeParse(value).success),
})
export type SuitePart = z.output<typeof SuitePartSchema>

/** A suite as it is written down: plain data, its attachments by their kept files. */
export function storeSuite(suite: Suite, inspections: Inspections): StoredSuite {
  const store = (attachment: Attachment): StoredAttachment => {
    const { name, contentType } = attachment
    const inspection = inspections.get(attachment)
    if (inspection === undefined) return { name, contentType }
    if ('refusal' in inspection) return { name, contentType, refusal: inspection.refusal }
    const { kept } = inspection
    return { name, contentType, kept: kept && { ...kept, file: kept.path.split(/[/\\]/).at(-1) as string } }
  }
  return replaceAttachments(suite, store) as unknown as StoredSuite
}

/** The run's suites as they were, their attachments' bytes in the spool; `pathOf` finds a kept file. */
export function restoreSource(
  parts: readonly SuitePart[],
  pathOf: (file: string) => string,
): { source: RunSource; inspections: Inspections } {
  const inspections: Inspections = new Map()
  const restore = ({ name, contentType, kept, refusal }: StoredAttachment): Attachment => {
    const attachment = { name, contentType, path: kept ? pathOf(kept.file) : '' }
    if (kept)
      inspections.set(attachment, { sizeBytes: kept.sizeBytes, kept: { ...kept, path: attachment.path } })
    else if (refusal !== undefined) inspections.set(attachment, { refusal })
    return attachment
  }
  const suites = parts.map(({ suite }) => replaceAttachments(suite as never, restore as never))
  const { source } = parts.at(-1) as SuitePart
  return { source: { ...source, suites }, inspections }
}

function replaceAttachments(suite: Suite, replace: (attachment: Attachment) => unknown): Suite {
  const replaceIn = <Holder extends { attachments: Attachment[] }>(holder: Holder): Holder => ({
    ...holder,
    attachments: holder.attachments.map(replace),
  })
  return {
    ...replaceIn(suite),
    tests: suite.tests.map((test) => ({ ...test, attempts: test.attempts.map(replaceIn) })),
  }
}
