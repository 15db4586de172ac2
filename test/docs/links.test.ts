import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { REPOSITORY } from '../support/repository'

// Links between the documents of the repository: the file is there, and it has the heading that a link names.

const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: REPOSITORY, encoding: 'utf8' })
  .trim()
  .split('\n')

const read = (document: string) =>
  readFileSync(path.join(REPOSITORY, document), 'utf8').replaceAll(/^```.*?^```$/gms, '')

/** As GitHub derives them: lower case, without punctuation, spaces as hyphens, the second of the same with `-1`. */
function listAnchors(document: string): string[] {
  const counts = new Map<string, number>()
  return [...read(document).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => {
    const anchor = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-')
    const count = counts.get(anchor) ?? 0
    counts.set(anchor, count + 1)
    return count === 0 ? anchor : `${anchor}-${count}`
  })
}

function listBroken(document: string): string[] {
  const links = [...read(document).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false
    const [file = '', anchor] = link.split('#')
    const target = file === '' ? document : path.join(path.dirname(document), file)
    if (!existsSync(path.join(REPOSITORY, target))) return true
    // A folder shows its README.
    const shown = target.endsWith('.md') ? target : path.join(target, 'README.md')
    return anchor !== undefined && !listAnchors(shown).includes(anchor)
  })
}

test('there are documents, and links in them', () => {
  expect(documents).toContain('docs/ci.md')
  expect(listBroken('docs/ci.md')).toEqual([])
  expect(read('docs/ci.md')).toContain('](self-hosting.md#3-a-key-for-ci)')
})

test.each(documents)('every link in %s leads somewhere', (document) => {
  expect(listBroken(document)).toEqual([])
})
