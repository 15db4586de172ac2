import type { TestCase } from '@playwright/test/reporter'
import { describe, expect, it } from 'vitest'
import { mapTestFacts } from './describe-test'

const factsOf = (over: object, outcome: 'passed' | 'skipped' = 'passed') =>
  mapTestFacts(
    { title: 'reads', annotations: [], tags: [], ...over } as unknown as TestCase,
    outcome,
    '/project',
  )

describe('the declaration of a test', () => {
  it('is its place in the project', () => {
    const place = { line: 3, column: 1 }
    expect(factsOf({ location: { file: '/project/tests/a.spec.ts', ...place } })).toEqual({
      location: { file: 'tests/a.spec.ts', ...place },
    })
    expect(factsOf({ location: { file: '/elsewhere/a.spec.ts', ...place } })).toEqual({})
  })

  it('is its tags and the types of its annotations, once each, without those of Playwright’s own', () => {
    const types = ['issue', '@fast', 'slow', 'serial', 'fail', 'abort', '_internal', '']
    const annotations = types.map((type) => ({ type }))
    expect(factsOf({ tags: ['@fast', '@bench'], annotations })).toEqual({
      tags: ['@fast', '@bench', 'issue'],
    })
  })

  it('is what its annotations say, without hidden ones and the owner', () => {
    const annotations = [
      { type: 'issue', description: 'https://tracker.example/RL-7' },
      { type: 'fail', description: 'until the relay is mended' },
      { type: 'slow', description: '' },
      { type: '_internal', description: 'hidden' },
      { type: 'owner', description: '@bench-team' },
    ]
    expect(factsOf({ annotations })).toEqual({
      tags: ['issue'],
      annotations: annotations.slice(0, 2),
      owner: '@bench-team',
    })
  })

  it('is its owner and not a tag', () => {
    const annotations = [{ type: 'owner' }, { type: 'owner', description: '@bench-team' }]
    expect(factsOf({ annotations })).toEqual({ owner: '@bench-team' })
  })

  it('is nothing in a version without tags', () => {
    expect(factsOf({ tags: undefined, annotations: undefined })).toEqual({})
  })
})

describe('why a test did not run', () => {
  const reasonOf = (annotations: object[], outcome: 'passed' | 'skipped' = 'skipped') =>
    factsOf({ annotations }, outcome).skipReason

  it('is what its author wrote', () => {
    expect(reasonOf([{ type: 'skip' }, { type: 'skip', description: 'no bench' }])).toBe('no bench')
    expect(reasonOf([{ type: 'fixme', description: 'since June' }])).toBe('since June')
  })

  it('is not known without a word, but for one that is to be mended', () => {
    expect(reasonOf([{ type: 'skip' }])).toBeUndefined()
    expect(reasonOf([{ type: 'fixme' }])).toBe('fixme')
  })

  it('is absent for a test that ran', () => {
    expect(reasonOf([{ type: 'skip', description: 'on its retry' }], 'passed')).toBeUndefined()
  })
})
