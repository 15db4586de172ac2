import { describe, expect, it } from 'vitest'
import { formatAttachmentName, matchAttachmentToStep } from './attachment-name'

describe('formatAttachmentName', () => {
  it('places a file in its step, and in its attempt when there were several', () => {
    expect(formatAttachmentName({ stepName: 'login › works', fileName: 'shot.png' })).toBe(
      'login › works/shot.png',
    )
    expect(formatAttachmentName({ stepName: 'login', attempt: 2, fileName: 'shot.png' })).toBe(
      'login/attempt-2/shot.png',
    )
    expect(formatAttachmentName({ fileName: 'suite.log' })).toBe('suite.log')
  })

  it('keeps within 255 characters and keeps long names of different steps apart', () => {
    const one = formatAttachmentName({
      stepName: `${'x'.repeat(400)}1`,
      attempt: 3,
      fileName: `${'y'.repeat(300)}.png`,
    })
    const two = formatAttachmentName({
      stepName: `${'x'.repeat(400)}2`,
      attempt: 3,
      fileName: `${'y'.repeat(300)}.png`,
    })
    expect(one.length).toBeLessThanOrEqual(255)
    expect(one).toMatch(/\.png$/)
    expect(one).not.toBe(two)
  })

  it('never cuts a surrogate pair in half', () => {
    for (let length = 100; length < 130; length += 1) {
      const name = formatAttachmentName({
        stepName: `${'a'.repeat(length)}${'😀'.repeat(40)}`,
        fileName: 'a.png',
      })
      expect(name.isWellFormed()).toBe(true)
    }
  })
})

describe('matchAttachmentToStep', () => {
  it('finds step, attempt and file name again, whatever the step is called', () => {
    for (const stepName of ['a', 'GET /api/users', 'a/attempt-2', 'ends with /', 'x'.repeat(500)]) {
      for (const attempt of [undefined, 1, 12]) {
        const name = formatAttachmentName({ stepName, attempt, fileName: 'shot (2).png' })
        expect(matchAttachmentToStep(name, stepName)).toEqual({
          ...(attempt === undefined ? {} : { attempt }),
          fileName: 'shot (2).png',
        })
      }
    }
  })

  it('does not find a file in another step or in the suite', () => {
    expect(matchAttachmentToStep('suite.log', 'suite.log')).toBeUndefined()
    expect(matchAttachmentToStep('ab/shot.png', 'a')).toBeUndefined()
    expect(matchAttachmentToStep('a/b/shot.png', 'a')).toBeUndefined()
  })
})
