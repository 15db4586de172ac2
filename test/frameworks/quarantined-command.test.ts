import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '../support/project'
import { REPOSITORY } from '../support/repository'
import { type Service, startService } from '../support/service'
import { quarantine, variablesOf } from './quarantine-entries'
import { commandOfShard, NEWEST_KINDS, type QuarantineProject } from './quarantine-projects'

const CLI = path.join(REPOSITORY, 'packages/cli/dist/bin.js')

describe.each(NEWEST_KINDS)('a command with quarantined failures of $framework', (kind) => {
  let service: Service
  let project: QuarantineProject

  beforeAll(async () => {
    service = await startService()
    project = await kind.create()
    await project.run(variablesOf(service))
    await quarantine(service, kind.file)
  })

  afterAll(async () => {
    await project.remove()
    await service.stop()
  })

  const run = (...words: string[]) =>
    runCommand(words[0] as string, words.slice(1), {
      dir: project.dir,
      env: { XDG_STATE_HOME: `${project.dir}.state`, ...variablesOf(service) },
    })

  it('goes on after the tests, and ends with its own exit code', async () => {
    const tests = project.command.map((word) => `'${word}'`).join(' ')
    const { exitCode, stdout, stderr } = await run(
      process.execPath,
      CLI,
      'run',
      '--',
      'sh',
      '-c',
      `${tests} && echo went on && exit 3`,
    )
    expect(stdout, stderr).toContain('went on')
    expect(stderr).toContain('every failure is quarantined, but the command ended with 3 for another reason')
    expect(exitCode).toBe(3)
  })

  it(`${kind.framework === 'playwright' ? 'passes' : 'fails'} without runledger run`, async () => {
    const { exitCode, stderr } = await run(...project.command)
    expect(exitCode, stderr).toBe(kind.framework === 'playwright' ? 0 : 1)
  })

  it.each(['1/2', '2/2'])('passes in shard %s', async (shard) => {
    const command = commandOfShard(project.command, kind.framework, shard)
    const { exitCode, stderr } = await run(process.execPath, CLI, 'run', '--', ...command)
    expect(exitCode, stderr).toBe(0)
  })
})
