import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node'
import { REPOSITORY } from './repository.ts'

/** A test that an execution skipped, as `scripts/list-skipped.mjs` reads it. */
export interface SkippedTest {
  /** Path in the repository. */
  file: string
  reason: string
  /** Whether the test runs once a program is installed. */
  isLacking: boolean
}

/** Writes the tests that an execution skipped into `.cache/skipped/`, under a name. */
export class SkippedTestsReporter implements Reporter {
  readonly #file: string

  constructor(name: string) {
    this.#file = path.join(REPOSITORY, '.cache/skipped', `${name}.json`)
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')]).map(describeSkipped)
    mkdirSync(path.dirname(this.#file), { recursive: true })
    writeFileSync(this.#file, JSON.stringify(skipped))
  }
}

function describeSkipped(test: TestCase): SkippedTest {
  const reason = findReason(test)
  return {
    file: path.relative(REPOSITORY, test.module.moduleId),
    reason: reason ?? 'its condition does not hold here',
    isLacking: test.tags.length > 0 && reason !== undefined,
  }
}

/** The reason of the test, or of a suite around it. */
function findReason(entity: TestCase | TestSuite): string | undefined {
  const { skipReason } = entity.meta()
  if (skipReason !== undefined) return skipReason
  return entity.parent.type === 'module' ? undefined : findReason(entity.parent)
}
