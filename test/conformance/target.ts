import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { listVersions, neededNode, type Framework } from '../support/project'
import { REPOSITORY } from '../support/repository'

/** One framework version on one Node: what a behaviour is run for. */
export interface Target {
  framework: Framework
  version: string
  /** Major version, or `major.minor` as a number for Playwright: 1.4 is written 140. */
  release: number
  /** Path of the node binary. */
  node: string
  /** Major version of that Node. */
  nodeMajor: number
  /** Whether this is the framework's newest version. */
  isNewest: boolean
}

const NODE_CACHE = path.join(REPOSITORY, '.cache/node')
const CURRENT_NODE = Number(process.versions.node.split('.')[0])
const OLDEST_NODE_OF_VITEST_5 = 22

/** Every framework version on one Node that it supports; with `everyNode` the newest ones on all of them. */
export function listTargets(framework: Framework, { everyNode }: { everyNode: boolean }): Target[] {
  const versions = listVersions(framework)
  return versions.flatMap((version) => {
    const isNewest = version === versions.at(-1)
    const nodes =
      isNewest && everyNode ? supportedNodes(framework, version) : [defaultNode(framework, version)]
    return nodes.map((nodeMajor) => ({
      framework,
      version,
      release: toRelease(framework, version),
      node: findNode(nodeMajor),
      nodeMajor,
      isNewest,
    }))
  })
}

function toRelease(framework: Framework, version: string): number {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return framework === 'playwright' ? major * 100 + minor : major
}

function defaultNode(framework: Framework, version: string): number {
  return Number(neededNode(framework, version) ?? CURRENT_NODE)
}

function supportedNodes(framework: Framework, version: string): number[] {
  const oldest = neededNode(framework, version) === undefined ? 0 : OLDEST_NODE_OF_VITEST_5
  return [...new Set([CURRENT_NODE, ...installedNodes()])]
    .filter((node) => node >= oldest)
    .toSorted((a, b) => a - b)
}

function installedNodes(): number[] {
  return existsSync(NODE_CACHE) ? readdirSync(NODE_CACHE).map(Number) : []
}

function findNode(major: number): string {
  if (major === CURRENT_NODE) return process.execPath
  const name = `node-${process.platform}-${process.arch}`
  return path.join(NODE_CACHE, String(major), 'node_modules', name, 'bin/node')
}

/** `Jest 30.5.2`, as people write it; with the Node where that is not the one that runs the tests. */
export function nameTarget({ framework, version, nodeMajor }: Target): string {
  const names: Record<Framework, string> = { jest: 'Jest', vitest: 'Vitest', playwright: 'Playwright' }
  return `${names[framework]} ${version}${nodeMajor === CURRENT_NODE ? '' : ` on Node ${nodeMajor}`}`
}
