import type { Annotation, SuiteTest, TestOutcome } from '@runledger/core'
import { formatText, hasRun, readList, toOwnLocation } from '@runledger/reporter-kit'
import type { TestCase } from '@playwright/test/reporter'
import { readAnnotations, readPlace, type ReadAnnotation } from './read-result'

// Added by Playwright; they say nothing about the test.
const ADDED = ['serial', 'slow']
/** Calls of Playwright, whose effect is in the outcome. */
const OWN = [...ADDED, 'abort', 'fail', 'fixme', 'skip']
const OWNER = 'owner'

/** What a test's file says about it: place, tags, annotations, owner, skip reason. */
export function mapTestFacts(
  test: TestCase,
  outcome: TestOutcome,
  rootDir: string,
): Pick<SuiteTest, 'location' | 'tags' | 'annotations' | 'owner' | 'skipReason'> {
  const annotations = listAnnotations(test)
  const types = annotations.map(({ type }) => type).filter((type) => ![...OWN, OWNER].includes(type))
  const tags = [...new Set([...listTags(test), ...types])].filter((tag) => tag !== '')
  const place = readPlace(test.location)
  const location = place && toOwnLocation(place, rootDir)
  const owner = annotations.find(({ type, description }) => type === OWNER && description)?.description
  const skipReason = hasRun(outcome) ? undefined : findSkipReason(annotations)
  const described = hasRun(outcome) ? listDescribed(annotations) : []
  return {
    ...(location && { location }),
    ...(tags.length > 0 && { tags }),
    ...(described.length > 0 && { annotations: described }),
    ...(owner !== undefined && { owner }),
    ...(skipReason !== undefined && { skipReason }),
  }
}

export function describeTest(test: TestCase, wasInterrupted: boolean): string | undefined {
  const remarks = listAnnotations(test)
    .filter(({ type }) => !ADDED.includes(type))
    .map(({ type, description }) => (description ? `${type}: ${description}` : type))
  if (wasInterrupted) remarks.push('interrupted')
  // Tags in the title are not repeated.
  remarks.push(...listTags(test).filter((tag) => !test.title.includes(tag)))
  return remarks.length === 0 ? undefined : [...new Set(remarks)].join(', ')
}

/** Playwright's reports also hide types that begin with `_`. */
function listAnnotations(test: TestCase): ReadAnnotation[] {
  return (readAnnotations(test) ?? []).filter(({ type }) => !type.startsWith('_'))
}

/** Since 1.42, including those in the title. */
function listTags({ tags }: Partial<Pick<TestCase, 'tags'>>): string[] {
  return readList(tags).map(formatText)
}

function listDescribed(annotations: readonly ReadAnnotation[]): Annotation[] {
  return annotations.flatMap(({ type, description }) =>
    type === OWNER || !description ? [] : [{ type, description }],
  )
}

/** The first description, else `fixme`. */
function findSkipReason(annotations: readonly ReadAnnotation[]): string | undefined {
  const marks = annotations.filter(({ type }) => type === 'skip' || type === 'fixme')
  const described = marks.find(({ description }) => description)?.description
  return described ?? marks.find(({ type }) => type === 'fixme')?.type
}
