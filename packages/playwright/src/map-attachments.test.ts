import { describe, expect, it } from 'vitest'
import { mapAttachments, type PlaywrightAttachment } from './map-attachments'

const map = (...attachments: PlaywrightAttachment[]) => mapAttachments(attachments, new Map())
const png = (name: string, path: string) => ({ name, path, contentType: 'image/png' })

describe('mapAttachments', () => {
  it('refers to a file by its path', () => {
    const shot = png('screenshot', '/project/test-results/a/test-failed-1.png')
    expect(map(shot)).toEqual([shot])
  })

  it('refers to the copy of a kept file, under its own name', () => {
    const shot = png('', '/project/test-results/a/shot.png')
    const kept = new Map([[shot.path, '/project/test-results/.runledger-x/1.png']])
    expect(mapAttachments([shot], kept)).toEqual([{ ...shot, name: 'shot.png', path: kept.get(shot.path) }])
  })

  it('takes a body as bytes', () => {
    const body = Buffer.from('hello')
    expect(map({ name: 'greeting', contentType: 'text/plain', body })).toEqual([
      { name: 'greeting', contentType: 'text/plain', bytes: body },
    ])
  })

  it('takes all pictures of a comparison under their own names, so that the page can lay them side by side', () => {
    const names = map(
      png('page-expected.png', '/project/tests/a.spec.ts-snapshots/page-chromium.png'),
      png('page-actual.png', '/project/test-results/a/page-actual.png'),
      png('page-diff.png', '/project/test-results/a/page-diff.png'),
    ).map(({ name }) => name)
    expect(names).toEqual(['page-expected.png', 'page-actual.png', 'page-diff.png'])
  })

  it('leaves out an attachment without a file or bytes', () => {
    expect(map({ name: 'nothing', contentType: 'text/plain' })).toEqual([])
  })

  it('takes a file that is attached twice once, and two files with the same name twice', () => {
    const context = { name: 'error-context', contentType: 'text/markdown', path: '/project/error-context.md' }
    expect(map(context, { ...context }, { ...context, path: '/project/other.md' })).toHaveLength(2)
  })

  it('takes equal bodies with the same name twice', () => {
    const note = { name: 'note', contentType: 'text/plain', body: Buffer.from('same') }
    expect(map(note, { ...note })).toHaveLength(2)
  })
})
