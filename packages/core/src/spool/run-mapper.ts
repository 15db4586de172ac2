import { listAttachments, type Inspections } from '../record/inspect-attachments'
import type { PlannedAttachment } from '../record/plan-attachments'
import type { Redactor } from '../redact/redactor'
import { formatRequest } from '../record/format-request'
import { mapRun, type RunRecord } from '../record/map-suite'
import type { RecordBuilder } from '../record/record-builder'
import type { RunSource } from '../record/run-source'
import { Surveys } from '../record/survey'
import type { SuitePart } from './suite-part'

/** A run's record, its request as it is kept and sent: outside of the heap of objects. */
export interface MappedRun {
  requestJson: Uint8Array
  attachments: readonly PlannedAttachment[]
}

/** Makes the record of one run, without secrets. */
export class RunMapper {
  constructor(
    private readonly settings: { builder: RecordBuilder; redactor: Redactor },
    private readonly submissionId: string,
  ) {}

  /** Undefined for what must be waited for: files, and the surroundings. What cannot be worked out shows again later. */
  mapAtOnce(source: RunSource): MappedRun | undefined {
    const surveys = new Surveys()
    if (!needsNoFiles(source, surveys)) return undefined
    try {
      const context = this.describeAtOnce(source)
      if (context === undefined) return undefined
      const masked = this.mask(source, surveys)
      return toMapped(mapRun(masked, { ...context, inspections: new Map(), surveys }))
    } catch {
      return undefined
    }
  }

  /** @throws ConfigError */
  async map(source: RunSource, inspections: Inspections): Promise<MappedRun> {
    const context = await this.describe(source)
    return toMapped(mapRun(this.mask(source), { ...context, inspections }))
  }

  /** @throws ConfigError */
  async describe(source: RunSource): Promise<SuitePart['context']> {
    return this.#maskVariables(await this.settings.builder.describe(source, this.submissionId))
  }

  /** Undefined before the surroundings are known. @throws ConfigError */
  describeAtOnce(source: RunSource): SuitePart['context'] | undefined {
    return this.#maskVariables(this.settings.builder.describeAtOnce(source, this.submissionId))
  }

  /** The source without secrets: its suites masked where they are, right before they are written down. */
  mask(source: RunSource, surveys?: Surveys): RunSource {
    const { redactor } = this.settings
    const [first] = source.suites
    const isNamedLike = first && first.file === source.file && first.project === source.project
    redactor.maskTexts(source.suites, surveys)
    if (isNamedLike) return { ...source, project: first.project, file: first.file }
    return { ...source, project: redactor.maskText(source.project), file: redactor.maskText(source.file) }
  }

  #maskVariables<Context extends SuitePart['context'] | undefined>(context: Context): Context {
    if (context === undefined) return context
    return { ...context, variables: this.settings.redactor.maskVariables(context.variables) }
  }
}

function toMapped({ request, attachments }: RunRecord): MappedRun {
  return { requestJson: formatRequest(request), attachments }
}

export function needsNoFiles({ suites }: RunSource, surveys?: Surveys): boolean {
  return suites.length === 1 && listAttachments(suites, surveys).length === 0
}
