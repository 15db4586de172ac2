import { execFile, spawnSync } from 'node:child_process'
import { chmod, chown, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it, test } from 'vitest'
import { replaceAll } from '../docs/read-blocks'
import { describeWithPostgres } from '../postgres/with-postgres'
import { findFreePort } from '../support/recording-proxy'
import { REPOSITORY } from '../support/repository'
import { type Service, startService } from '../support/service'
import { findInstructions, readDockerfile, resolveVariables } from './deploy-files'

// What deploy/Dockerfile does, done in a folder: images to begin with are not to be had everywhere.

const { build, last } = readDockerfile()
const [buildRuns, lastRuns] = [build, last].map((stage) => findInstructions(stage, 'RUN')) as [
  string[],
  string[],
]
const find = (runs: string[], text: string) => runs.find((run) => run.includes(text)) ?? ''
const USER = Number(findInstructions(last, 'USER')[0]?.split(':')[0])
const isRoot = process.getuid?.() === 0

test('it builds with scripts of the project, and sets variables that the service knows', async () => {
  const { scripts } = JSON.parse(await readFile(path.join(REPOSITORY, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const used = buildRuns.flatMap((run) => [...run.matchAll(/npm run (\S+)/g)].map(([, name = '']) => name))
  expect(used).toEqual(['build'])
  for (const name of used) expect(scripts).toHaveProperty(name)
  const variables = findInstructions(last, 'ENV').flatMap((text) => text.split(' '))
  const env = Object.fromEntries(variables.map((variable) => variable.split('=') as [string, string]))
  const { config, unknown } = resolveVariables(env)
  expect(unknown).toEqual(['NODE_ENV'])
  expect(config.host).toBe('0.0.0.0')
  expect(String(config.port)).toBe(findInstructions(last, 'EXPOSE')[0])
  // The folder of the service is in the volume, which the user may write to.
  const workDir = findInstructions(last, 'WORKDIR').at(-1)
  expect(workDir).toBe(findInstructions(last, 'VOLUME')[0])
  expect(find(lastRuns, 'install --directory')).toContain(
    `--owner ${USER} --group ${USER} --mode 0700 ${workDir}`,
  )
})

describeWithPostgres('what the image has', (postgres) => {
  let folder: string
  let service: Service
  let port: number
  const given = { ...process.env }

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-image-'))
    await chmod(folder, 0o755)
    await mkdir(path.join(folder, 'bin'))
    const shell = (command: string, cwd: string) =>
      promisify(execFile)('bash', ['-euc', command], {
        cwd,
        env: { ...process.env, npm_config_prefer_offline: 'true' },
      })
    await shell(replaceAll(find(buildRuns, 'cp --parents'), { '/built': `${folder}/runledger` }), REPOSITORY)
    // Node comes with SQLite in the image, and not always here.
    const install = replaceAll(find(lastRuns, 'npm ci'), {
      '--cache /tmp/npm': '',
      '&& rm -rf /tmp/npm /tmp/node-compile-cache node_modules/@photostructure': '',
    })
    await shell(install, path.join(folder, 'runledger'))
    const places = {
      '/opt/runledger': `${folder}/runledger`,
      '/usr/local/bin': `${folder}/bin`,
      '/var/lib/runledger': `${folder}/data`,
      [`--owner ${USER} --group ${USER}`]: '',
    }
    await shell(replaceAll(find(lastRuns, 'ln -s'), places), folder)
    if (isRoot) await chown(path.join(folder, 'data'), USER, USER)
    process.env.RUNLEDGER_DATABASE = await postgres().createDatabase('image')
    port = await findFreePort()
    const command = path.join(folder, 'bin/runledger')
    // As somebody who may write to the data folder alone.
    const asUser = isRoot ? ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups'] : []
    service = await startService({
      folder: path.join(folder, 'data'),
      command: [...asUser, command],
      args: ['--port', String(port)],
    })
  })

  afterAll(async () => {
    process.env = given
    await service.stop()
    await rm(folder, { recursive: true, force: true })
  })

  it('serves runs and pages', async () => {
    expect(await service.listRuns()).toEqual([])
    expect(await (await service.get('/sign-in')).text()).toContain('<html')
  })

  it('knows whether it is healthy', async () => {
    const check = findInstructions(last, 'HEALTHCHECK')[0]?.replace(/^.*CMD /, '') ?? ''
    const [command = '', ...args] = JSON.parse(check) as string[]
    const ask = (asked: number) =>
      spawnSync(command, args, { env: { ...process.env, RUNLEDGER_PORT: String(asked) } }).status
    expect(ask(port)).toBe(0)
    expect(ask(await findFreePort())).toBe(1)
  })
})
