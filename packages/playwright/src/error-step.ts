import type { ErrorDetail } from '@runledger/core'
import { readFields, readSnippet, toOwnLocation } from '@runledger/reporter-kit'
import type { TestResult, TestStep } from '@playwright/test/reporter'
import { hasEnded, readPlace, readSteps } from './read-result'

/**
 * The place of an error without one: the innermost step that ended with it; for a time limit or a dead worker, the
 * innermost running step.
 */
export function findStepPlace(
  error: unknown,
  result: TestResult,
  rootDir: string,
): Pick<ErrorDetail, 'location' | 'snippet'> {
  const steps = listSteps(result).filter((step) => findLocation(step, rootDir) !== undefined)
  const wasThrown = readFields(error)['value'] !== undefined
  const step =
    steps.findLast((each) => isSame(each.error, error)) ??
    (wasThrown ? undefined : steps.findLast((each) => !hasEnded(each)))
  const place = readPlace(step?.location)
  const location = step && findLocation(step, rootDir)
  if (place === undefined || location === undefined) return {}
  const snippet = readSnippet(place)
  return { location, ...(snippet !== undefined && { snippet }) }
}

function findLocation(step: TestStep, rootDir: string): ErrorDetail['location'] {
  const place = readPlace(step.location)
  return place && toOwnLocation(place, rootDir)
}

/** Outer steps first. */
function listSteps(parent: Pick<TestResult, 'steps'>): TestStep[] {
  return readSteps(parent).flatMap((step) => [step, ...listSteps(step)])
}

/** Playwright reports an error of a test and of its steps as different objects. */
function isSame(one: unknown, other: unknown): boolean {
  const [left, right] = [readFields(one), readFields(other)]
  return one !== undefined && ['message', 'stack', 'value'].every((name) => left[name] === right[name])
}
