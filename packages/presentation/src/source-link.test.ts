import { expect, it } from 'vitest'
import { createSourceLink, formatLocation, linkCommit } from './source-link'

const commit = '3f2a9c1e0b7d4f6a8c2e1d0f9b8a7c6d5e4f3a2b'

function linkWith(metadata: Record<string, string>) {
  return createSourceLink({ metadata })({ file: 'src/a b.test.ts', line: 7, column: 3 })
}

it.each([
  ['https://github.com/acme/shop', `https://github.com/acme/shop/blob/${commit}`],
  ['https://github.com/acme/shop.git', `https://github.com/acme/shop/blob/${commit}`],
  ['git@github.com:acme/shop.git', `https://github.com/acme/shop/blob/${commit}`],
  ['ssh://git@gitlab.com/group/sub/shop.git', `https://gitlab.com/group/sub/shop/-/blob/${commit}`],
  [
    'https://gitlab.acme.example:8443/shop/web/',
    `https://gitlab.acme.example:8443/shop/web/-/blob/${commit}`,
  ],
])('leads from %s to the line', (repository, start) => {
  expect(linkWith({ repository, git_commit: commit })).toBe(`${start}/src/a%20b.test.ts#L7`)
})

it('goes by the CI where the host’s name does not tell', () => {
  const known = { repository: 'https://code.acme.example/shop/web', git_commit: commit }
  expect(linkWith(known)).toBeUndefined()
  expect(linkWith({ ...known, ci: 'GitLab CI/CD' })).toContain('/shop/web/-/blob/')
})

it.each([
  { git_commit: commit },
  { repository: 'https://github.com/acme/shop' },
  { repository: 'https://github.com/acme/shop', git_commit: 'main"onclick=' },
  { repository: 'javascript:alert(1)//github.com/a', git_commit: commit },
  { repository: '/home/me/shop', git_commit: commit },
])('leads nowhere with %j', (metadata) => {
  expect(linkWith(metadata)).toBeUndefined()
})

it('starts from the folder that the project has in its repository, and never leaves the repository', () => {
  const metadata = {
    repository: 'https://github.com/acme/shop',
    git_commit: commit,
    file: 'src/x.test.ts',
    file_in_repository: 'packages/web/src/x.test.ts',
  }
  const link = createSourceLink({ metadata })
  expect(link({ file: 'src/y.ts' })).toBe(`https://github.com/acme/shop/blob/${commit}/packages/web/src/y.ts`)
  expect(link({ file: '../lib/y.ts' })).toMatch(/\/packages\/lib\/y\.ts$/)
  expect(link({ file: '../../../y.ts' })).toBeUndefined()
  expect(link({ file: '/etc/passwd' })).toBeUndefined()
})

it('leads to the commit', () => {
  const github = { repository: 'https://github.com/acme/shop', git_commit: commit }
  expect(linkCommit({ metadata: github })).toBe(`https://github.com/acme/shop/commit/${commit}`)
  const gitlab = { repository: 'git@gitlab.com:acme/shop.git', git_commit: commit }
  expect(linkCommit({ metadata: gitlab })).toBe(`https://gitlab.com/acme/shop/-/commit/${commit}`)
  expect(linkCommit({ metadata: {} })).toBeUndefined()
})

it('writes places as people do', () => {
  expect(formatLocation({ file: 'a.ts', line: 3, column: 4 })).toBe('a.ts:3:4')
  expect(formatLocation({ file: 'a.ts', column: 4 })).toBe('a.ts')
})
