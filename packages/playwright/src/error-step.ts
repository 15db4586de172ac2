import type { ErrorDetail } from '@runledger/core'
import { readFields, readSnippet, toOwnLocation } from '@runledger/reporter-kit'
import type { TestResult, TestStep } from '@playwright/test/reporter'
import { hasEnded, readPlace, readSteps } from './read-result'

/**
 * Where an error came up that has no place of its own: the innermost step that ended with it. For what no code threw (a time
 * limit, a worker that died), else the innermost step that was under way.
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

/** All steps, each before those inside of it. */
function listSteps(parent: Pick<TestResult, 'steps'>): TestStep[] {
  return readSteps(parent).flatMap((step) => [step, ...listSteps(step)])
}

/** Playwright tells the same error of a test and of its steps, each time as another object. */
function isSame(one: unknown, other: unknown): boolean {
  const [left, right] = [readFields(one), readFields(other)]
  return one !== undefined && ['message', 'stack', 'value'].every((name) => left[name] === right[name])
}
