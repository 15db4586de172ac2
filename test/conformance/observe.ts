import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { createProject, runCommand } from '../support/project'
import { REPOSITORY } from '../support/repository'
import type { Service } from '../support/service'
import type { Observation, PackageCommand, Scenario } from './behaviour'
import type { Target } from './target'

const OUR_COMMAND = path.join(REPOSITORY, 'packages/cli/dist/bin.js')

/** Runs a scenario's project with the real command and reads what the service stored of it. */
export async function observe(scenario: Scenario, target: Target, service: Service): Promise<Observation> {
  const project = await createProject({ ...target, files: scenario.files })
  const group = randomUUID()
  const context = (env: Record<string, string> = {}) => ({
    env: {
      RUNLEDGER_GROUP: group,
      // All commands of a scenario have one spool.
      XDG_STATE_HOME: `${project.dir}.state`,
      ...scenario.env,
      ...env,
    },
    service,
    node: target.node,
    ...(scenario.timeoutMs !== undefined && { timeoutMs: scenario.timeoutMs }),
  })
  const run = (args: string[] = scenario.args ?? [], env: Record<string, string> = {}) =>
    project.run({ args, ...context(env) })
  const command = ({ bin, args = [], env, until, stderr }: PackageCommand) => {
    const called = [target.node, path.join(project.dir, 'node_modules', bin), ...args]
    const [first = '', ...rest] = stderr ? ['sh', '-c', `exec "$@" 2>${stderr}`, 'sh', ...called] : called
    return runCommand(first, rest, { ...context(env), dir: project.dir, until })
  }
  const upload = () =>
    runCommand(process.execPath, [OUR_COMMAND, 'upload'], { ...context(), dir: project.dir })
  try {
    const startedAtMs = Date.now()
    const result = await (scenario.drive?.({ project, target, run, command, upload }) ?? run())
    const span = { name: 'the execution', startedAtMs, durationMs: Date.now() - startedAtMs }
    const query = `&metadata=${encodeURIComponent(JSON.stringify({ group: { in: [group] } }))}`
    const items = await service.listRuns(query)
    const runs = await Promise.all(items.map(({ id }) => service.readRun(id)))
    const observation = { result, span, runs, service, project, target }
    await scenario.check?.(observation)
    return observation
  } finally {
    await project.remove()
  }
}
