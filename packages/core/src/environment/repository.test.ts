import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { locateInRepository, parseOwners, readRepository, toWebAddress } from './repository'

let root: string

beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'runledger-repository-')))
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.example', ...args], {
    cwd: path.join(root, folder),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
    .toString()
    .trim()

const commit = (folder: string, message: string): string => {
  git(folder, 'commit', '-q', '--allow-empty', '-m', message)
  return git(folder, 'rev-parse', 'HEAD')
}

const write = (file: string, text: string): string => {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
  writeFileSync(path.join(root, file), text)
  return path.join(root, file)
}

const read = (env: Record<string, string> = {}, folder = 'clone', defaultBranch?: string) =>
  readRepository(env, path.join(root, folder), defaultBranch)

/** A clone whose branch `feature` left `trunk` at the first commit, `trunk` having gone on since. */
function cloneWithFeature(): { first: string; tip: string } {
  git('', 'init', '-q', '-b', 'trunk', 'origin')
  const first = commit('origin', 'first')
  const tip = commit('origin', 'second')
  git('', 'clone', '-q', 'origin', 'clone')
  git('clone', 'checkout', '-q', '-b', 'feature', first)
  commit('clone', 'on the branch')
  return { first, tip }
}

describe('readRepository', () => {
  it('finds the default branch, and the commit where the branch left it', async () => {
    const { first } = cloneWithFeature()
    expect(await read()).toMatchObject({ defaultBranch: 'trunk', mergeBase: first, folder: '' })
    git('clone', 'checkout', '-q', '--detach')
    expect(await read()).toMatchObject({ defaultBranch: 'trunk', mergeBase: first })
  })

  it('names no merge base for a commit of the default branch itself', async () => {
    const { first } = cloneWithFeature()
    git('clone', 'checkout', '-q', 'trunk')
    expect(await read()).toMatchObject({ defaultBranch: 'trunk', mergeBase: undefined })
    git('clone', 'checkout', '-q', first)
    expect(await read()).toMatchObject({ mergeBase: undefined })
  })

  it('does not guess the merge base in a shallow clone', async () => {
    cloneWithFeature()
    git('origin', 'fetch', '-q', '../clone', 'feature:feature')
    const address = `file://${root}/origin`
    git('', 'clone', '-q', '--depth', '2', '--no-single-branch', '-b', 'feature', address, 'shallow')
    const { defaultBranch, mergeBase } = await read({}, 'shallow')
    expect({ defaultBranch, mergeBase }).toEqual({ defaultBranch: 'trunk', mergeBase: undefined })
  })

  it('knows neither default branch nor merge base without a remote', async () => {
    git('', 'init', '-q', '-b', 'trunk', 'clone')
    commit('clone', 'first')
    git('clone', 'checkout', '-q', '-b', 'feature')
    commit('clone', 'second')
    const { folder, findOwner, commitSubject, commitAuthor, ...unknown } = await read()
    expect([folder, commitSubject, commitAuthor]).toEqual(['', 'second', 't'])
    expect(findOwner).toBeUndefined()
    expect(Object.values(unknown).filter(Boolean)).toEqual([])
  })

  it('knows the first line and the author of the commit, and no address', async () => {
    cloneWithFeature()
    const commitAs = async (name: string, message: string) => {
      git('clone', '-c', `user.name=${name}`, 'commit', '-q', '--allow-empty', '-m', message)
      const { commitSubject, commitAuthor } = await read()
      return [commitSubject, commitAuthor]
    }
    expect(await commitAs('Zoë Ångström', 'Fix the cart\n\nIt was empty.')).toEqual([
      'Fix the cart',
      'Zoë Ångström',
    ])
    expect(await commitAs('ada@lovelace.example', 'Count')).toEqual(['Count', undefined])
    expect(await commitAs('Ada', 'x'.repeat(400))).toEqual(['x'.repeat(255), 'Ada'])
    expect(JSON.stringify(await read())).not.toContain('@')
  })

  it('describes the head of a request that GitHub has merged for the test, and not the merge', async () => {
    const { tip } = cloneWithFeature()
    const sha = commit('clone', 'what the request says')
    git('clone', 'checkout', '-q', '--detach', tip)
    git('clone', 'merge', '-q', '--no-ff', '-m', 'Merge', sha)
    const pull_request = { base: { ref: 'trunk' }, head: { sha } }
    const readSubject = async (event: object) => {
      const file = write('event.json', JSON.stringify({ repository: { default_branch: 'trunk' }, ...event }))
      return (await read({ GITHUB_ACTIONS: 'true', GITHUB_EVENT_PATH: file })).commitSubject
    }
    expect(await readSubject({ pull_request })).toBe('what the request says')
    expect(await readSubject({ pull_request: { ...pull_request, base: { ref: 'release' } } })).toBe(
      'what the request says',
    )
    expect(await readSubject({})).toBe('Merge')
    // As in a shallow clone of the merge.
    const unknown = { ...pull_request, head: { sha: 'f'.repeat(40) } }
    expect(await readSubject({ pull_request: unknown })).toBeUndefined()
    const noCommit = { ...pull_request, head: { sha: '--output=here' } }
    expect(await readSubject({ pull_request: noCommit })).toBe('Merge')
  })

  it('knows nothing without a repository, without a commit, without git', async () => {
    mkdirSync(path.join(root, 'clone'))
    expect(Object.values(await read()).filter(Boolean)).toEqual([])
    git('', 'init', '-q', 'clone')
    expect(Object.values(await read()).filter(Boolean)).toEqual([])
    commit('clone', 'first')
    expect((await read()).folder).toBe('')
    expect(Object.values(await read({ PATH: '/nowhere' })).filter(Boolean)).toEqual([])
  })

  it('waits two seconds for a git that hangs, and no longer', async () => {
    cloneWithFeature()
    const bin = path.dirname(write('bin/git', '#!/bin/sh\nwhile :; do /bin/sleep 1; done\n'))
    chmodSync(path.join(bin, 'git'), 0o755)
    const startMs = performance.now()
    expect(Object.values(await read({ PATH: bin })).filter(Boolean)).toEqual([])
    expect(performance.now() - startMs).toBeGreaterThan(1_900)
    expect(performance.now() - startMs).toBeLessThan(4_000)
  })

  it('has the address of the remote without the password in it', async () => {
    cloneWithFeature()
    git('clone', 'remote', 'set-url', 'origin', 'https://ada:hush-hush@git.example/acme/widget.git')
    const facts = await read()
    expect(facts.address).toBe('https://git.example/acme/widget')
    expect(JSON.stringify(facts)).not.toContain('hush')
  })

  it('knows the project’s folder in it, in a worktree and from a hook of git’s as well', async () => {
    cloneWithFeature()
    git('clone', 'worktree', 'add', '-q', '-b', 'side', '../tree')
    for (const tree of ['clone', 'tree']) {
      mkdirSync(path.join(root, tree, 'packages/a'), { recursive: true })
      for (const env of [{}, { GIT_DIR: path.join(root, 'clone/.git') }]) {
        const facts = await read(env, `${tree}/packages/a`)
        expect(locateInRepository('src/a.test.ts', facts)).toBe('packages/a/src/a.test.ts')
        expect(locateInRepository('../b.test.ts', facts)).toBe('packages/b.test.ts')
        expect(locateInRepository('../../../b.test.ts', facts)).toBeUndefined()
        expect(locateInRepository('/b.test.ts', facts)).toBeUndefined()
      }
    }
    expect(locateInRepository('a.test.ts', {})).toBeUndefined()
  })

  it('believes GitHub about address and default branch', async () => {
    const { first } = cloneWithFeature()
    git('clone', 'remote', 'set-head', 'origin', '--delete')
    expect(await read()).toMatchObject({ defaultBranch: undefined, mergeBase: undefined })
    const event = write('event.json', JSON.stringify({ repository: { default_branch: 'trunk' } }))
    const env = {
      GITHUB_ACTIONS: 'true',
      GITHUB_EVENT_PATH: event,
      GITHUB_SERVER_URL: 'https://github.example',
      GITHUB_REPOSITORY: 'acme/widget',
    }
    const address = 'https://github.example/acme/widget'
    expect(await read(env)).toMatchObject({ address, defaultBranch: 'trunk', mergeBase: first })
    expect(await read({ ...env, GITHUB_EVENT_PATH: '/no' })).toMatchObject({
      address,
      defaultBranch: undefined,
    })
  })

  it.each([
    ['trunk', true],
    ['another branch', false],
  ])('takes the merge base of a pull request into %s from GitHub’s merge commit', async (ref, isKnown) => {
    const { tip } = cloneWithFeature()
    git('origin', 'fetch', '-q', '../clone', 'feature')
    const sha = git('origin', 'rev-parse', 'FETCH_HEAD')
    git('origin', 'checkout', '-q', '--detach')
    git('origin', 'merge', '-q', '--no-ff', '-m', 'Merge', sha)
    git('origin', 'update-ref', 'refs/pull/7/merge', 'HEAD')
    git('', 'init', '-q', 'shallow')
    git('shallow', 'fetch', '-q', '--depth', '1', `file://${root}/origin`, 'refs/pull/7/merge')
    git('shallow', 'checkout', '-q', 'FETCH_HEAD')
    const pull_request = { base: { ref }, head: { sha } }
    const event = { repository: { default_branch: 'trunk' }, pull_request }
    const env = { GITHUB_ACTIONS: 'true', GITHUB_EVENT_PATH: write('event.json', JSON.stringify(event)) }
    expect((await read(env, 'shallow')).mergeBase).toBe(isKnown ? tip : undefined)
    const otherHead = { ...event, pull_request: { base: { ref }, head: { sha: tip } } }
    write('event.json', JSON.stringify(otherHead))
    expect((await read(env, 'shallow')).mergeBase).toBeUndefined()
  })

  const gitlab = {
    GITLAB_CI: 'true',
    CI_PROJECT_URL: 'https://gitlab.example/acme/widget',
    CI_REPOSITORY_URL: 'https://gitlab-ci-token:hush-hush@gitlab.example/acme/widget.git',
    CI_DEFAULT_BRANCH: 'trunk',
    CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'trunk',
    CI_MERGE_REQUEST_DIFF_BASE_SHA: 'abc123',
  }
  const known = { address: 'https://gitlab.example/acme/widget', defaultBranch: 'trunk' }
  it.each<[string, Record<string, string>, object]>([
    ['GitLab', gitlab, { ...known, mergeBase: 'abc123' }],
    [
      'GitLab, which tests the merge with the target branch',
      { ...gitlab, CI_MERGE_REQUEST_TARGET_BRANCH_SHA: 'def456' },
      { ...known, mergeBase: 'def456' },
    ],
    [
      'GitLab, where the request is for another branch',
      { ...gitlab, CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'release' },
      { ...known, mergeBase: undefined },
    ],
    [
      'Buildkite',
      {
        BUILDKITE: 'true',
        BUILDKITE_REPO: 'git@github.com:acme/widget.git',
        BUILDKITE_PIPELINE_DEFAULT_BRANCH: 'trunk',
      },
      { address: 'https://github.com/acme/widget', defaultBranch: 'trunk' },
    ],
    [
      'Azure',
      { BUILD_REPOSITORY_URI: 'https://acme@dev.azure.com/acme/Big%20Widget/_git/widget' },
      { address: 'https://dev.azure.com/acme/Big%20Widget/_git/widget' },
    ],
  ])('believes %s', async (_, env, expected) => {
    git('', 'init', '-q', 'clone')
    expect(await read(env)).toMatchObject(expected)
  })

  it('believes the option before the CI and the clone, and finds the merge base by it', async () => {
    const { first } = cloneWithFeature()
    git('clone', 'remote', 'set-head', 'origin', '--delete')
    const expected = { defaultBranch: 'trunk', mergeBase: first }
    expect(await read({}, 'clone', 'trunk')).toMatchObject(expected)
    expect(await read({ CI_DEFAULT_BRANCH: 'main' }, 'clone', 'trunk')).toMatchObject(expected)
  })

  it('knows from Jenkins that the branch is the default one, and nothing on other branches', async () => {
    git('', 'init', '-q', 'clone')
    const jenkins = { JENKINS_URL: 'https://jenkins.example', BRANCH_NAME: 'trunk' }
    expect(await read({ ...jenkins, BRANCH_IS_PRIMARY: 'true' })).toMatchObject({ defaultBranch: 'trunk' })
    expect(await read(jenkins)).toMatchObject({ defaultBranch: undefined })
  })

  it('reads the owners from the first of the places where they may be', async () => {
    git('', 'init', '-q', 'clone')
    commit('clone', 'first')
    write('clone/packages/a/CODEOWNERS', '* @nobody')
    const ownerOf = async (file: string) => (await read({}, 'clone/packages/a')).findOwner?.(file)
    expect(await ownerOf('a.ts')).toBeUndefined()
    for (const place of ['.gitlab/CODEOWNERS', 'docs/CODEOWNERS', 'CODEOWNERS', '.github/CODEOWNERS']) {
      write(`clone/${place}`, `* @${place}`)
      expect(await ownerOf('a.ts')).toBe(`@${place}`)
    }
  })
})

test.each([
  ['https://github.com/owner/name', 'https://github.com/owner/name'],
  ['https://github.com/owner/name.git/', 'https://github.com/owner/name'],
  ['https://token@github.com/owner/name.git', 'https://github.com/owner/name'],
  ['https://ada:p@ss#w?rd@git.example:8443/a/b/c.git', 'https://git.example:8443/a/b/c'],
  ['https://git.example/a/b.git?private_token=hush#x', 'https://git.example/a/b'],
  ['http://git.example/a/b', 'http://git.example/a/b'],
  ['git@github.com:owner/name.git', 'https://github.com/owner/name'],
  ['github.com:owner/name', 'https://github.com/owner/name'],
  ['git@git.example:/srv/git/name.git', 'https://git.example/srv/git/name'],
  ['ssh://git@git.example:2222/owner/name.git', 'https://git.example/owner/name'],
  ['git+ssh://git@git.example/owner/name', 'https://git.example/owner/name'],
  ['git://git.example/owner/name.git', 'https://git.example/owner/name'],
  ['git@ssh.dev.azure.com:v3/acme/Big%20Widget/name', 'https://dev.azure.com/acme/Big%20Widget/_git/name'],
  ['https://ada:12/34@git.example/a/b', undefined],
  ['codecommit::eu-west-1://name', undefined],
  ['ext::sh -c hush', undefined],
  ['file:///srv/git/name.git', undefined],
  ['/srv/git/name.git', undefined],
  ['../name', undefined],
  ['C:\\git\\name', undefined],
  ['C:/git/name', undefined],
  ['', undefined],
])('a browser opens %s at %s', (remote, address) => {
  expect(toWebAddress(remote)).toBe(address)
})

describe('parseOwners', () => {
  it.each<[string, { owned?: string[]; others?: string[] }]>([
    ['*', { owned: ['a', 'a/b.js', '.a/b'] }],
    ['*.js', { owned: ['a.js', 'a/b/c.js', '.js'], others: ['a.jsx', 'a/js'] }],
    ['/*', { owned: ['a.js'], others: ['a/b.js'] }],
    ['/build/logs/', { owned: ['build/logs/a', 'build/logs/a/b'], others: ['a/build/logs/b', 'build/logs'] }],
    ['docs/*', { owned: ['docs/a.md'], others: ['docs/b/a.md', 'a/docs/b.md'] }],
    ['docs/**', { owned: ['docs/a.md', 'docs/b/a.md'], others: ['docs', 'a/docs/b'] }],
    ['apps/', { owned: ['apps/a', 'b/apps/c/d'], others: ['apps', 'bapps/a'] }],
    ['/docs', { owned: ['docs', 'docs/a/b'], others: ['docs2/a', 'a/docs/b'] }],
    ['src/cart', { owned: ['src/cart/a.ts'], others: ['a/src/cart/a.ts', 'src/carts/a.ts'] }],
    ['**/logs', { owned: ['logs/a', 'build/logs/a', 'a/b/logs'], others: ['logs2'] }],
    ['/a/**/b.ts', { owned: ['a/b.ts', 'a/c/d/b.ts'], others: ['a/bb.ts', 'ab.ts'] }],
    ['a**/b', { owned: ['a/b', 'ac/b'], others: ['a/c/b'] }],
    ['a?c.ts', { owned: ['abc.ts', 'x/a-c.ts'], others: ['ac.ts', 'a/c.ts'] }],
    ['a+(b).[ts]', { owned: ['a+(b).[ts]'], others: ['aab.t', 'a+(b)xts'] }],
    ['my\\ file\\*.ts', { owned: ['my file*.ts'], others: ['my file1.ts', 'my\\ file*.ts'] }],
    ['\\#a', { owned: ['#a'] }],
    ['Über/*.ts', { owned: ['Über/a.ts'], others: ['über/a.ts'] }],
  ])('gives the files of %s to their owner', (pattern, { owned = [], others = [] }) => {
    const findOwner = parseOwners(`${pattern} @team`)
    expect(owned.filter((file) => findOwner(file) !== '@team')).toEqual([])
    expect(others.filter((file) => findOwner(file) !== undefined)).toEqual([])
  })

  it('ignores a rule with so many stars that matching could take very long', () => {
    const findOwner = parseOwners(`*.js @team\n${'*a'.repeat(9)}b @nobody`)
    expect(findOwner(`${'a'.repeat(80)}.js`)).toBe('@team')
  })

  it('uses the last rule that matches, even if it names no owner', () => {
    const findOwner = parseOwners(
      [
        '# everything',
        '*  @all @acme/core # and so on',
        '',
        '\t*.ts\tdocs@acme.example\r',
        '/generated/',
        'invalid no-owner',
      ].join('\n'),
    )
    expect(findOwner('a.md')).toBe('@all @acme/core')
    expect(findOwner('a.ts')).toBe('docs@acme.example')
    expect(findOwner('generated/a.ts')).toBeUndefined()
    expect(findOwner('invalid')).toBeUndefined()
  })

  it('knows GitLab’s sections, their owners and exclusions', () => {
    const findOwner = parseOwners(
      [
        '* @all',
        '[Docs and more][2] @writers @@maintainer',
        '*.md',
        'api.md @api',
        '!CHANGELOG.md',
        '^[Optional]',
        '*.txt',
      ].join('\n'),
    )
    expect(findOwner('a.ts')).toBe('@all')
    expect(findOwner('docs/a.md')).toBe('@writers @@maintainer')
    expect(findOwner('docs/api.md')).toBe('@api')
    expect(findOwner('CHANGELOG.md')).toBeUndefined()
    expect(findOwner('a.txt')).toBeUndefined()
  })
})
