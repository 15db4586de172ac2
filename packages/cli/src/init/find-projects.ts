import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type ConfigFramework, dependsOn, type Framework, FRAMEWORKS, hasScript } from '../find-frameworks'
import { hasProjects } from './add-reporter'
import { listWorkspacePackages, type PackageFolder } from './find-packages'

/** A package whose tests a framework runs. */
export interface TestProject {
  framework: Framework
  package: PackageFolder
  /** The file that names its reporters, package.json among them; undefined where there is none. */
  configFile: string | undefined
  /** The folder whose package.json names the framework, or runs it. */
  installDir: string
}

/** Every package of a project with each framework that runs tests in it. */
export function findTestProjects(root: PackageFolder): TestProject[] {
  const packages = [root, ...listWorkspacePackages(root)]
  return FRAMEWORKS.flatMap((framework) => {
    const found = packages.filter((each) => usesFramework(each, framework))
    return chooseConfigured(found, root, framework).map((each) => ({
      framework,
      package: each,
      configFile: findConfigFile(each, framework),
      installDir: isNamedIn(each, framework) ? each.dir : root.dir,
    }))
  })
}

/** Node's own test runner is in no package: what its scripts need belongs to theirs. */
function isNamedIn({ manifest }: PackageFolder, { packageName }: Framework): boolean {
  return packageName === undefined || dependsOn(manifest, packageName)
}

/**
 * Where the root runs the tests of its packages, its config alone names reporters. Where it only has the framework installed
 * for them, it has no config.
 */
function chooseConfigured(
  found: readonly PackageFolder[],
  root: PackageFolder,
  framework: Framework,
): readonly PackageFolder[] {
  if (found.length < 2 || !found.includes(root)) return found
  const file = findConfigFile(root, framework)
  if (file !== undefined && runsOthers(file, root, framework)) return [root]
  const isUsed = file !== undefined || hasScript(root.manifest, framework)
  return isUsed ? found : found.filter((each) => each !== root)
}

const WORKSPACE_FILES = ['ts', 'mts', 'js', 'mjs', 'json'].map((extension) => `vitest.workspace.${extension}`)

function runsOthers(file: string, { dir }: PackageFolder, { name }: Framework): boolean {
  if (name === 'Playwright' || name === 'node:test') return false
  if (name === 'Vitest' && WORKSPACE_FILES.some((each) => existsSync(path.join(dir, each)))) return true
  try {
    return hasProjects({ file, text: readFileSync(file, 'utf8') })
  } catch {
    return false
  }
}

function usesFramework(each: PackageFolder, framework: Framework): boolean {
  if (hasScript(each.manifest, framework)) return true
  if (framework.name === 'node:test') return false
  return dependsOn(each.manifest, framework.packageName) || findOwnConfig(each, framework) !== undefined
}

/** The config that the framework takes. */
function findConfigFile(each: PackageFolder, framework: Framework): string | undefined {
  if (framework.name === 'node:test') return path.join(each.dir, 'package.json')
  return findOwnConfig(each, framework) ?? findNamed(each.dir, framework, framework.configNames.slice(1))
}

/** A config that is for this framework alone. */
function findOwnConfig({ dir, manifest }: PackageFolder, framework: ConfigFramework): string | undefined {
  const found = findNamed(dir, framework, framework.configNames.slice(0, 1))
  const isInManifest = framework.name === 'Jest' && manifest.jest !== undefined
  return found ?? (isInManifest ? path.join(dir, 'package.json') : undefined)
}

function findNamed(
  dir: string,
  { configExtensions }: ConfigFramework,
  names: readonly string[],
): string | undefined {
  return names
    .flatMap((name) => configExtensions.map((extension) => path.join(dir, `${name}.${extension}`)))
    .find((file) => existsSync(file))
}
