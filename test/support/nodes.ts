import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { REPOSITORY } from './repository'

const CACHE = path.join(REPOSITORY, '.cache/node')

export interface NodeRelease {
  major: number
  binary: string
}

/** This Node, and every other one that the install step brought. */
export function listNodes(): NodeRelease[] {
  const own = { major: Number.parseInt(process.versions.node, 10), binary: process.execPath }
  const installed = existsSync(CACHE) ? readdirSync(CACHE) : []
  const others = installed.map((major) => {
    const name = `node-${process.platform}-${process.arch}`
    return { major: Number(major), binary: path.join(CACHE, major, 'node_modules', name, 'bin/node') }
  })
  return [own, ...others.filter(({ major }) => major !== own.major)]
}
