import {
  AnyErrorSchema,
  CreateRunAnswerSchema,
  InitializeAttachmentAnswerSchema,
  TakenAttachmentsSchema,
  type AnyError,
  type CreateRunAnswer,
  type InitializeAttachmentAnswer,
  type TakenAttachment,
} from '@runledger/protocol'
import * as z from 'zod'
import { describeIssues } from '../model/errors'

/** Loaded only for answers that are not plain: zod and its schemas take longer to load than a small execution to record. */

const SCHEMAS = {
  createRun: CreateRunAnswerSchema,
  initializeAttachment: InitializeAttachmentAnswerSchema,
} satisfies Record<keyof Answers, z.ZodType>

/** As much of a list of runs as looking for one needs. */
const FoundRunsSchema = z.object({
  data: z.array(z.object({ id: z.string().min(1), metadata: z.record(z.string(), z.unknown()).optional() })),
})
/** As much of a run as looking for its attachments needs. */
const LinkedSchema = z.object({ attachments: TakenAttachmentsSchema })
export type FoundRun = z.output<typeof FoundRunsSchema>['data'][number]

/** What the service answers to each operation that a reporter needs the answer of. */
export interface Answers {
  createRun: CreateRunAnswer
  initializeAttachment: InitializeAttachmentAnswer
}

/** The answer, or what is wrong with it; `found` is undefined for what is no JSON. */
export function parseAnswer<Operation extends keyof Answers>(
  operation: Operation,
  found: unknown,
): Answers[Operation] | { problem: string } {
  const parsed = SCHEMAS[operation].safeParse(found)
  if (parsed.success) return parsed.data as Answers[Operation]
  return { problem: found === undefined ? 'no JSON' : describeIssues(parsed.error.issues) }
}

/** None when it is no list of runs. */
export function parseFoundRuns(found: unknown): FoundRun[] {
  return FoundRunsSchema.safeParse(found).data?.data ?? []
}

/** None when it is no run. */
export function parseLinked(found: unknown): TakenAttachment[] {
  return LinkedSchema.safeParse(found).data?.attachments ?? []
}

/** Undefined when it is no error record of either interface. */
export function parseProblem(found: unknown): AnyError | undefined {
  return AnyErrorSchema.safeParse(found).data
}
