import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { satisfies } from 'semver'
import { readScripts } from '../manifest'
import { findCiFile, GITHUB_WORKFLOWS } from '../project/find-ci-file'
import type { TestProject } from '../project/find-projects'
import { findNodeTestCalls, isMissing } from '../node-test-command'
import type { CommandContext } from '../command-context'
import { judgeCall, nameCall, type Verdict } from './judge-call'
import { createBareCall, type TestCall } from '../test-calls/test-call'
import { findOwnProgram } from '../test-calls/programs'
import { type Fault, fault, type Finding, notChecked, ok } from './finding'

interface InstalledPackage {
  name: string
  version: string
  peerDependencies?: Record<string, string>
  engines?: { node?: string }
}

/** A command that runs tests of a project, and what was found about it. */
export interface ExaminedCall {
  /** Undefined for scripts of Node's test runner, which take no options. */
  call: TestCall | undefined
  verdict: Verdict
  finding: Finding
}

/** Checks whether each command of a project uses the reporter, and whether the installed versions go together. */
export async function examineProject(
  project: TestProject,
  root: string,
  context: CommandContext,
): Promise<ExaminedCall[]> {
  const problem = findPackageFault(project)
  const asked = problem ? { ...context, runNode: undefined } : context
  const judged = await judgeProject(project, root, asked)
  return judged.map(({ call, verdict }) => {
    const check = [project.framework.name, path.relative(root, project.package.dir)]
      .filter(Boolean)
      .join(' in ')
    return { call, verdict, finding: toFinding({ call, verdict, project, problem }, check) }
  })
}

type Judged = Pick<ExaminedCall, 'call' | 'verdict'>

async function judgeProject(project: TestProject, root: string, context: CommandContext): Promise<Judged[]> {
  const { framework, configDir, calls } = project
  if (framework.name === 'node:test') return [{ call: undefined, verdict: judgeScripts(project, root) }]
  const bare = createBareCall(findOwnProgram(framework.name), configDir)
  const judged: Judged[] = []
  for (const call of calls.length === 0 ? [bare] : calls)
    judged.push({ call, verdict: await judgeCall(call, { project, root }, context) })
  return judged
}

function judgeScripts({ framework, package: { dir, manifest } }: TestProject, root: string): Verdict {
  const scripts = Object.entries(readScripts(manifest))
  const missing = scripts.filter(([, script]) =>
    findNodeTestCalls(script).some((call) => isMissing(call, framework.reporter)),
  )
  if (missing.length === 0) return { status: 'recorded', options: {} }
  const names = missing.map(([name]) => name).join(', ')
  const file = path.relative(root, path.join(dir, 'package.json'))
  return {
    status: 'bypassed',
    fault: {
      code: 'reporter-not-configured',
      message: `${file} does not name ${framework.reporter} in the script ${names}`,
      fix: `Add it: npx runledger init, or by hand: ${framework.configLine}`,
    },
  }
}

function toFinding(
  { call, verdict, project, problem }: Judged & { project: TestProject; problem: Fault | undefined },
  check: string,
): Finding {
  if (verdict.status === 'bypassed') return fault(check, verdict.fault)
  if (problem) return fault(check, problem)
  const versions = describeVersions(project)
  if (!call) return ok(check, `${versions}; each script that runs it has the reporter`)
  if (verdict.status === 'recorded')
    return ok(check, `${versions}; ${nameCall(call)} uses the reporter${adviseOnGithub(project, call)}`)
  return notChecked(check, `${versions}; ${nameCall(call)} could not be tried: ${verdict.reason}`)
}

/** Vitest annotates on GitHub by itself, but only where nothing names reporters. */
function adviseOnGithub({ framework, configFile, package: { dir } }: TestProject, call: TestCall): string {
  if (framework.name !== 'Vitest' || findCiFile(dir, GITHUB_WORKFLOWS) === undefined) return ''
  const texts = [...call.args.map(({ text }) => text), configFile ? readFileSync(configFile, 'utf8') : '']
  if (texts.some((text) => text.includes('github-actions'))) return ''
  return ". Add 'github-actions' to its reporters on GitHub: Vitest's own annotations are left out otherwise"
}

function describeVersions({ framework: { packageName, reporter }, package: { dir } }: TestProject): string {
  const versions = [packageName, reporter].map((name) =>
    name === undefined ? `Node ${process.versions.node}` : `${name} ${readInstalled(name, dir)?.version}`,
  )
  return versions.join(', ')
}

function findPackageFault({ framework, package: { dir } }: TestProject): Fault | undefined {
  const { packageName, reporter: reporterName } = framework
  const installed = packageName === undefined ? undefined : readInstalled(packageName, dir)
  if (packageName !== undefined && !installed)
    return {
      code: 'framework-not-installed',
      message: `${packageName} is not installed`,
      fix: "Install the project's packages.",
    }
  const reporter = readInstalled(reporterName, dir)
  if (!reporter)
    return {
      code: 'reporter-not-installed',
      message: `${reporterName} is not installed`,
      fix: `Install it: npx runledger init, or npm install --save-dev ${reporterName}`,
    }
  return (installed && findRangeFault(installed, reporter)) ?? findNodeFault(reporter)
}

function findRangeFault(installed: InstalledPackage, reporter: InstalledPackage): Fault | undefined {
  const range = reporter.peerDependencies?.[installed.name] ?? '*'
  if (satisfies(installed.version, range, { includePrerelease: true })) return undefined
  return {
    code: 'framework-unsupported',
    message: `${installed.name} is ${installed.version}, but ${reporter.name} ${reporter.version} is made for ${range}`,
    fix: `Install a version of ${installed.name} in that range, or another version of ${reporter.name}.`,
  }
}

function findNodeFault({ name, version, engines }: InstalledPackage): Fault | undefined {
  const range = engines?.node ?? '*'
  if (satisfies(process.versions.node, range, { includePrerelease: true })) return undefined
  return {
    code: 'node-unsupported',
    message: `Node is ${process.versions.node}, but ${name} ${version} needs ${range}`,
    fix: 'Use a Node in that range.',
  }
}

/** The package.json of a package that code in a folder would load. */
function readInstalled(name: string, dir: string): InstalledPackage | undefined {
  try {
    const file = createRequire(path.join(dir, 'package.json')).resolve(`${name}/package.json`)
    return { ...(JSON.parse(readFileSync(file, 'utf8')) as InstalledPackage), name }
  } catch {
    return undefined
  }
}
