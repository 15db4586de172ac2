import { listFoldersUpward } from '@runledger/core/tools'
import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { type ConfigFramework, dependsOn, type Framework, FRAMEWORKS, hasScript } from '../find-frameworks'
import { readManifest, readScripts } from '../manifest'
import { listTestCalls, type ScriptFolder } from '../test-calls/list-calls'
import type { TestCall } from '../test-calls/test-call'
import { readFlags } from '../test-calls/read-flags'
import { hasProjects } from '../config-files/add-reporter'
import { listWorkspacePackages, type PackageFolder } from './find-packages'

/** A config with which a framework runs tests of a package. */
export interface TestProject {
  framework: Framework
  package: PackageFolder
  /** The folder in which the framework looks for the config. */
  configDir: string
  /** The file that names its reporters, package.json among them; undefined where there is none. */
  configFile: string | undefined
  /** The folder whose package.json names the framework, or runs it. */
  installDir: string
  /** Commands of scripts that use the config. None where only people do. */
  calls: readonly TestCall[]
  /** The root runs its tests as those of a project: scripts of the package itself do without the root's config. */
  isRunByRoot: boolean
}

export function findTestProjects(root: PackageFolder): TestProject[] {
  const packages = [root, ...listWorkspacePackages(root)]
  const folders = packages.map(toScriptFolder)
  return FRAMEWORKS.flatMap((framework) => {
    const found = packages.filter((each) => usesFramework(each, framework, folders))
    const configured = chooseConfigured(found, root, framework)
    const projects = found.flatMap((each) => {
      const isRunByRoot = !configured.includes(each)
      const installDir = isNamedIn(each, framework) ? each.dir : root.dir
      return listPlaces(each, framework, folders)
        .filter(({ calls }) => !isRunByRoot || calls.length > 0)
        .map((place) => ({ framework, package: each, installDir, isRunByRoot, ...place }))
    })
    return joinProjects(projects)
  })
}

export function toScriptFolder({ dir, manifest }: PackageFolder): ScriptFolder {
  return { name: manifest.name, dir, scripts: readScripts(manifest) }
}

type Place = Pick<TestProject, 'configDir' | 'configFile' | 'calls'>

/** The configs that a package's scripts use; the framework's default config if no script runs it. */
function listPlaces(own: PackageFolder, framework: Framework, folders: readonly ScriptFolder[]): Place[] {
  if (framework.name === 'node:test')
    return [{ configDir: own.dir, configFile: path.join(own.dir, 'package.json'), calls: [] }]
  const calls = listCalls(own, framework, folders)
  if (calls.length === 0)
    return [{ configDir: own.dir, configFile: findConfigFile(own, framework), calls: [] }]
  return calls.map((call) => ({ ...findCallConfig(call, framework, own.dir), calls: [call] }))
}

function listCalls(own: PackageFolder, { name }: Framework, folders: readonly ScriptFolder[]): TestCall[] {
  return listTestCalls(toScriptFolder(own), folders).filter(({ program }) => program.framework === name)
}

export function findCallConfig(
  call: TestCall,
  framework: ConfigFramework,
  own: string,
): Omit<Place, 'calls'> {
  const { config, root } = readFlags(call)
  if (config === undefined) {
    const places = listConfigFolders(root, framework, own)
    const found = places.map((dir) => findConfigFile({ dir, manifest: readManifest(dir) ?? {} }, framework))
    return { configDir: root, configFile: found.find((file) => file !== undefined) }
  }
  const file = path.resolve(framework.name === 'Vitest' ? root : call.dir, config)
  const isFolder = statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false
  if (isFolder) return { configDir: file, configFile: findNamed(file, framework, framework.configNames) }
  return { configDir: root, configFile: existsSync(file) ? file : undefined }
}

/** Jest and Vitest also search the folders above. */
function listConfigFolders(folder: string, { name }: ConfigFramework, own: string): string[] {
  if (name === 'Playwright') return [folder]
  const isBelow = !path.relative(own, folder).startsWith('..')
  return isBelow
    ? listFoldersUpward(folder).filter((dir) => !path.relative(own, dir).startsWith('..'))
    : [folder]
}

/** Calls that share a config share a project. */
function joinProjects(projects: readonly TestProject[]): TestProject[] {
  const joined = new Map<string, TestProject>()
  for (const project of projects) {
    const key = project.configFile ?? project.configDir
    const earlier = joined.get(key)
    const isRunByRoot = project.isRunByRoot && (earlier?.isRunByRoot ?? true)
    joined.set(
      key,
      earlier ? { ...earlier, isRunByRoot, calls: [...earlier.calls, ...project.calls] } : project,
    )
  }
  return [...joined.values()]
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

function usesFramework(each: PackageFolder, framework: Framework, folders: readonly ScriptFolder[]): boolean {
  if (framework.name === 'node:test') return hasScript(each.manifest, framework)
  const isNamed = dependsOn(each.manifest, framework.packageName)
  return (
    isNamed || findOwnConfig(each, framework) !== undefined || listCalls(each, framework, folders).length > 0
  )
}

/** The config that the framework takes by itself. */
export function findConfigFile(each: PackageFolder, framework: Framework): string | undefined {
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
