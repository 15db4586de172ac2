import { inspectAttachments, listAttachments } from '../record/inspect-attachments'
import { AttachmentPlan } from '../record/plan-attachments'
import type { ResolvedOptions } from '../config/resolve-options'
import type { Redactor } from '../redact/redactor'
import { listSteps } from '../record/list-steps'
import type { RunSource } from '../record/run-source'
import type { Suite } from '../model/suite'
import type { EarlyReceipts } from './early-receipts'
import type { EntryFolder } from './entry-folder'
import { describeDeliverable } from './kept-attachment'
import type { RunFiles } from './run-files'
import type { RunMapper } from './run-mapper'
import type { SpoolHead } from './spool-entry'
import { storeInspected, storeSuite, type SuitePart } from './suite-part'

/** How long the files of one suite are copied while the framework waits, in milliseconds; the others are only named. */
const COPYING_MS = 50

/** What is said of an attachment that a kill leaves nothing of. */
const TOO_LATE = 'the execution was cut short before it could be kept'

/** Where a run lies in the spool. */
export interface RunPlace {
  entry: EntryFolder
  files: RunFiles
}

/** One suite of a run whose other suites may follow. */
interface Part {
  suite: Suite
  source: RunSource
  context: SuitePart['context']
}

/** Writes the suites of one run down, each as it is now, until the run is whole. */
export class PartKeeper {
  /** The place of each suite among the parts. */
  readonly #places = new Map<Suite, number>()

  constructor(
    private readonly settings: { options: ResolvedOptions; redactor: Redactor },
    private readonly run: { head: SpoolHead; mapper: RunMapper; receipts: EarlyReceipts },
  ) {}

  /** Before it returns, as far as that is quickly done. Errors are the system's. */
  keepAtOnce({ suite, source, context }: Part, { entry, files }: RunPlace): void {
    const suites = this.#withBodies(suite)
    const copyUntil = performance.now() + COPYING_MS
    const kept = new Map(listAttachments(suites).map((each) => [each, files.keepAtOnce(each, copyUntil)]))
    const masked = this.run.mapper.mask({ ...source, suites: [suite] })
    const stored = storeSuite(suite, (attachment) => {
      const raw = kept.get(attachment)
      return raw || !kept.has(attachment) ? { raw } : { refusal: TOO_LATE }
    })
    entry.writePartAtOnce(this.#placeOf(suite), this.#describe(masked, context, stored))
  }

  /** @throws SpoolError */
  async keep({ suite, source, context }: Part, { entry, files }: RunPlace): Promise<void> {
    const inspections = await inspectAttachments(this.#withBodies(suite), (each) => files.inspect(each))
    const masked = this.run.mapper.mask({ ...source, suites: [suite] })
    const part = this.#describe(masked, context, storeSuite(suite, storeInspected(inspections)))
    await entry.writePart(this.#placeOf(suite), part)
    // By the names that they have unless another suite has the same ones; then they are sent anew at the end.
    const plan = new AttachmentPlan(inspections)
    plan.addSteps(listSteps(masked))
    plan.addSuites([suite])
    this.run.receipts.offer(plan.attachments.map(describeDeliverable), entry)
  }

  /** The suite whose attachments are kept, without secrets in those of memory; none when nobody wants them. */
  #withBodies(suite: Suite): Suite[] {
    const suites = this.settings.options.attachments ? [suite] : []
    this.settings.redactor.maskBodies(suites)
    return suites
  }

  #placeOf(suite: Suite): number {
    const place = this.#places.get(suite) ?? this.#places.size
    this.#places.set(suite, place)
    return place
  }

  #describe(
    { project, file, namesFiles }: RunSource,
    context: SuitePart['context'],
    suite: SuitePart['suite'],
  ): SuitePart {
    return { ...this.run.head, source: { project, file, namesFiles }, context, suite }
  }
}
