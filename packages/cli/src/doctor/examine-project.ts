import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { satisfies } from 'semver'
import { listsReporter } from '../init/add-reporter'
import type { TestProject } from '../init/find-projects'
import { fault, type Finding, ok } from './finding'

interface InstalledPackage {
  name: string
  version: string
  peerDependencies?: Record<string, string>
  engines?: { node?: string }
}

/** Whether a project's config names the reporter, and whether what is installed goes together. */
export function examineProject(project: TestProject, root: string): Finding {
  const { framework, package: own } = project
  const check = [framework.name, path.relative(root, own.dir)].filter(Boolean).join(' in ')
  const problem = findConfigFault(project, root) ?? findPackageFault(project)
  if (problem) return fault(check, problem)
  const { packageName, reporter } = framework
  const versions = [packageName, reporter].map((name) =>
    name === undefined ? `Node ${process.versions.node}` : `${name} ${readInstalled(name, own.dir)?.version}`,
  )
  const place = framework.name === 'node:test' ? 'a script' : 'the config'
  return ok(check, `${versions.join(', ')}; ${place} has the reporter`)
}

type Fault = Parameters<typeof fault>[1]

function findConfigFault(
  { configFile, framework, package: own }: TestProject,
  root: string,
): Fault | undefined {
  const code = 'reporter-not-configured'
  const fix = `Add it: npx runledger init, or by hand: ${framework.configLine}`
  if (configFile === undefined)
    return {
      code,
      message: `there is no config in ${path.relative(root, own.dir) || '.'}, so no reporter`,
      fix,
    }
  const name = path.relative(root, configFile)
  try {
    const isListed = listsReporter({ file: configFile, text: readFileSync(configFile, 'utf8') }, framework)
    return isListed ? undefined : { code, message: `${name} does not name ${framework.reporter}`, fix }
  } catch (error) {
    return {
      code: 'config-unreadable',
      message: `${name} cannot be read: ${(error as Error).message}`,
      fix: 'Mend the syntax of the config.',
    }
  }
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
