import {
  type AttemptInput,
  cleanError,
  cleanErrorText,
  ERROR_BYTES,
  formatDurationMs,
  formatTimestampMs,
  keepAttempts,
  type Location,
  MAX_ERRORS,
  MAX_RUN_FACTS,
  type SkippedTestInput,
  type TestErrorInput,
  type TestFacts,
  toStorableText,
} from '@runledger/protocol'
import type { ErrorDetail, SourceLocation } from '../model/error-detail'
import type { Annotation, Attempt, SuiteTest } from '../model/suite'
import { createPathShortener, type OwnFolders } from '../util/text'
import type { PlannedStep } from './list-steps'

/** Errors of one run are sent whole up to this many bytes of JSON, then only their messages, then only their number. */
const WHOLE_BYTES = 3 * 1024 * 1024
const TOTAL_BYTES = 4 * 1024 * 1024
const SHORT_BYTES = 1024
const MAX_TAGS = 100
/** The approximate size of a member beside its text. */
const MEMBER_BYTES = 50

/** Maps what each step says of its test (docs/interface.md#facts-of-a-test), within the limits of one run. */
export class TestFactMapper {
  readonly #shortenPaths: (text: string) => string
  readonly #names = new Set<string>()
  #factsLeft = MAX_RUN_FACTS
  #bytes = 0

  constructor(folders: OwnFolders = { roots: [], homes: [] }) {
    this.#shortenPaths = createPathShortener(folders)
  }

  /** Errors are mapped first: if they fill the run, other facts are cut. */
  mapSteps(steps: readonly PlannedStep[]): TestFacts[] {
    const why = steps.map(({ kind, parent, location, errors }) => {
      const own = this.#mapErrors(errors)
      return { kind, parent, location: this.#mapDeclared(location), error: own.errors?.[0], ...own }
    })
    const facts = steps.map(({ test, passed }, index): TestFacts => {
      const { errors, ...own } = why[index] as (typeof why)[number]
      const attempts = test && this.#mapAttempts(test, passed)
      return {
        errors: errors && errors.length > 1 ? errors : undefined,
        tags: this.#mapTags(test?.tags),
        annotations: this.#mapAnnotations(test?.annotations),
        worker: test?.attempts.at(-1)?.worker,
        owner: test?.owner === undefined ? undefined : this.#mapName(test.owner),
        ...own,
        ...attempts,
      }
    })
    return facts.map((each, index) => ({ snippet: this.#mapSnippet(steps[index]?.snippet), ...each }))
  }

  mapSkipped({ name, test }: { name: string; test: SuiteTest }): SkippedTestInput {
    const reason = mapReason(test)
    return {
      name,
      reason: reason === undefined ? undefined : this.#take(this.#clean(reason)),
      location: this.#mapDeclared(test.location),
      tags: this.#mapTags(test.tags),
    }
  }

  #mapAttempts(
    { attempts, startedAtMs }: SuiteTest,
    passed: boolean,
  ): Pick<TestFacts, 'attempts' | 'more_attempts'> {
    if (attempts.length < 2) return {}
    const kept = keepAttempts(attempts)
    if (kept.length > this.#factsLeft) return { more_attempts: attempts.length - 1 }
    this.#factsLeft -= kept.length
    const last = attempts.at(-1)
    const mapped = kept.map((attempt): AttemptInput => ({
      outcome: attempt !== last ? deriveOutcome(attempt) : passed ? 'PASS' : 'FAIL',
      started_at: formatTimestampMs(attempt.startedAtMs ?? startedAtMs),
      duration: formatDurationMs(attempt.durationMs ?? 0),
      worker: attempt.worker,
      ...(attempt !== last && this.#mapErrors(attempt.errors)),
    }))
    return { attempts: mapped, more_attempts: attempts.length - kept.length || undefined }
  }

  #mapErrors(details: readonly ErrorDetail[]): Pick<AttemptInput, 'errors' | 'more_errors'> {
    const errors: TestErrorInput[] = []
    for (const detail of details.slice(0, MAX_ERRORS)) {
      if (this.#factsLeft === 0 || this.#bytes > TOTAL_BYTES) break
      const error = this.#mapError(detail)
      this.#factsLeft -= 1
      this.#bytes += sizeOf(error)
      errors.push(error)
    }
    // The first of several is sent twice.
    if (errors.length > 1) this.#bytes += sizeOf(errors[0] as TestErrorInput)
    const more_errors = details.length - errors.length || undefined
    return errors.length === 0 ? { more_errors } : { errors, more_errors }
  }

  #mapError(detail: ErrorDetail): TestErrorInput {
    const location = detail.location && this.#mapLocation(detail.location)
    if (this.#bytes > WHOLE_BYTES) return { message: this.#clean(detail.message), location }
    return cleanError({ ...detail, location }, this.#shortenPaths)
  }

  #mapLocation({ file, line, column }: SourceLocation): Location {
    return { file: toStorableText(this.#shortenPaths(file)), line, column }
  }

  #mapDeclared(location: SourceLocation | undefined): Location | undefined {
    const mapped = location && this.#mapLocation(location)
    if (!mapped || this.#take(mapped.file) === undefined) return undefined
    return this.#mapName(mapped.file) === undefined ? undefined : mapped
  }

  /** A name counts once. */
  #mapName(name: string): string | undefined {
    const storable = toStorableText(name)
    if (!this.#names.has(storable)) {
      if (this.#factsLeft === 0) return undefined
      this.#factsLeft -= 1
      this.#names.add(storable)
    }
    return storable
  }

  #mapTags(tags: readonly string[] = []): string[] | undefined {
    const kept = [...new Set(tags)].slice(0, Math.min(MAX_TAGS, this.#factsLeft)).map(toStorableText)
    if (kept.length === 0 || this.#take(kept.join()) === undefined) return undefined
    this.#factsLeft -= kept.length
    return kept
  }

  #mapAnnotations(annotations: readonly Annotation[] = []): Annotation[] | undefined {
    const kept = annotations.slice(0, Math.min(MAX_TAGS, this.#factsLeft)).map(({ type, description }) => ({
      type: toStorableText(type),
      description: this.#clean(description),
    }))
    if (kept.length === 0 || this.#take(JSON.stringify(kept)) === undefined) return undefined
    this.#factsLeft -= kept.length
    return kept
  }

  /** Snippets are dropped first. */
  #mapSnippet(snippet: string | undefined): string | undefined {
    if (snippet === undefined || this.#bytes > WHOLE_BYTES) return undefined
    return this.#take(cleanErrorText(snippet, ERROR_BYTES.snippet, this.#shortenPaths))
  }

  /** Undefined if a run's facts would get too long. */
  #take(text: string): string | undefined {
    if (this.#bytes > TOTAL_BYTES) return undefined
    this.#bytes += Buffer.byteLength(JSON.stringify(text)) + MEMBER_BYTES
    return text
  }

  #clean(text: string): string {
    return cleanErrorText(text, SHORT_BYTES, this.#shortenPaths)
  }
}

function mapReason({ skipReason, outcome, note, attempts }: SuiteTest): string | undefined {
  if (skipReason !== undefined || outcome === 'skipped') return skipReason
  if (outcome === 'todo') return 'marked as todo'
  return note ?? (attempts.length > 0 ? 'cut short' : 'not started')
}

/** By the frameworks' words. An interrupted attempt has no verdict; one that passed with errors was expected to fail. */
function deriveOutcome({ status, errors }: Attempt): AttemptInput['outcome'] {
  if (status === 'passed' && errors.length > 0) return 'FAIL'
  return OUTCOMES[status] ?? 'ERROR'
}

const OUTCOMES: Record<string, AttemptInput['outcome']> = {
  passed: 'PASS',
  failed: 'FAIL',
  timedOut: 'FAIL',
  skipped: 'SKIP',
  pending: 'SKIP',
  todo: 'SKIP',
}

function sizeOf(error: TestErrorInput): number {
  return Buffer.byteLength(JSON.stringify(error))
}
