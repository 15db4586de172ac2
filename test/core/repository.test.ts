import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createProject, newestVersion, type Project } from '../support/project'
import { startService, type Service } from '../support/service'

const FILES = {
  CODEOWNERS: 'packages/ @team\n',
  'packages/cart/vitest.config.mjs': "export default { test: { reporters: ['@runledger/vitest'] } }",
  'packages/cart/src/pay.test.js': "import { test } from 'vitest'\ntest('pays', () => {})",
}

let service: Service
let project: Project

beforeAll(async () => {
  service = await startService()
  project = await createProject({ framework: 'vitest', version: newestVersion('vitest'), files: FILES })
})
afterAll(async () => {
  await service.stop()
  await project.remove()
})

function git(...args: string[]): string {
  const as = ['-c', 'user.name=t', '-c', 'user.email=t@t.example', ...args]
  return execFileSync('git', as, { cwd: project.dir, encoding: 'utf8' }).trim()
}

it('records facts that cannot be added later', async () => {
  git('init', '-q', '-b', 'trunk')
  git('commit', '-q', '--allow-empty', '-m', 'first')
  const mergeBase = git('rev-parse', 'HEAD')
  git('remote', 'add', 'origin', 'https://ada:hush-hush@git.example/acme/widget.git')
  git('update-ref', 'refs/remotes/origin/trunk', mergeBase)
  git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk')
  git('checkout', '-q', '-b', 'feature')
  git('commit', '-q', '--allow-empty', '-m', 'second')
  const { exitCode, stderr } = await project.run({
    service,
    args: ['--root', 'packages/cart', '--shard', '1/1'],
  })
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.not.stringContaining('git') })
  const [run, ...others] = await service.readAllRuns()
  expect(others).toEqual([])
  expect(run?.metadata).toMatchObject({
    repository: 'https://git.example/acme/widget',
    git_branch: 'feature',
    git_commit: git('rev-parse', 'HEAD'),
    git_commit_subject: 'second',
    git_author: 't',
    git_default_branch: 'trunk',
    git_merge_base: mergeBase,
    file: 'src/pay.test.js',
    file_in_repository: 'packages/cart/src/pay.test.js',
    shard: '1/1',
    shard_index: '1',
    shard_total: '1',
  })
  expect(JSON.stringify(run)).not.toContain('hush')
})
