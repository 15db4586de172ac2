import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { REPOSITORY } from '../support/repository'

// Links between the documents of the repository, and from comments to them: the file is there, and it has the heading that a
// link names.

const listFiles = (...patterns: string[]) =>
  execFileSync('git', ['ls-files', ...patterns], { cwd: REPOSITORY, encoding: 'utf8' })
    .trim()
    .split('\n')

const documents = listFiles('*.md')
const sources = listFiles('*.ts', '*.tsx', '*.mjs', '*.cjs')

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

interface Citation {
  source: string
  cited: string
}

/** Documents that comments name, with the heading where there is one: `docs/interface.md#access`. */
function listCitations(source: string): Citation[] {
  const text = readFileSync(path.join(REPOSITORY, source), 'utf8')
  const comments = text.match(/^\s*(?:\/\/|\/\*|\* ).*$/gm)?.join('\n') ?? ''
  const found = comments.matchAll(/(?<![\w/.<…-])(?:[\w-]+\/)*[\w-]+\.md(?:#[\w-]+)?/g)
  return [...found].map(([cited]) => ({ source, cited }))
}

function isBrokenCitation({ cited }: Citation): boolean {
  const [file = '', anchor] = cited.split('#')
  if (anchor !== undefined) return !documents.includes(file) || !listAnchors(file).includes(anchor)
  return !documents.some((document) => document === file || document.endsWith(`/${file}`))
}

test('every document and heading that a comment cites is there', () => {
  const citations = sources.flatMap(listCitations)
  expect(citations.filter(({ cited }) => cited.startsWith('docs/interface.md#')).length).toBeGreaterThan(40)
  expect(citations.filter(isBrokenCitation)).toEqual([])
})

test('a comment that cites a section of no document is found', () => {
  for (const cited of ['docs/interface.md#nothing', 'docs/nothing.md', 'stack.md'])
    expect(isBrokenCitation({ source: 'any.ts', cited })).toBe(true)
})

test('no comment cites a document that is not in the repository by its name alone', () => {
  const phrases = /contract decisions|\bspecification,? \d|contract additions/i
  const found = sources.filter((source) => phrases.test(readFileSync(path.join(REPOSITORY, source), 'utf8')))
  expect(found.filter((source) => !source.endsWith('links.test.ts'))).toEqual([])
})
