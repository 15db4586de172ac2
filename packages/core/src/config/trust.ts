import { lstatSync, type Stats, statSync } from 'node:fs'
import path from 'node:path'
import type { Environment } from './options'
import { isInside, resolveLinks } from '../util/files'

/** Where CI services check out repositories; in a container, another user often owns the files. */
const WORKSPACES = (
  'GITHUB_WORKSPACE CI_PROJECT_DIR BUILD_SOURCESDIRECTORY BUILDKITE_BUILD_CHECKOUT_PATH BITBUCKET_CLONE_DIR ' +
  'CIRCLE_WORKING_DIRECTORY DRONE_WORKSPACE CI_WORKSPACE TRAVIS_BUILD_DIR APPVEYOR_BUILD_FOLDER CODEBUILD_SRC_DIR ' +
  'CIRRUS_WORKING_DIR bamboo_build_working_directory VELA_BUILD_WORKSPACE'
).split(' ')

/**
 * Why a file that was found, not named, must not be used: another user may have planted it. Undefined if this user owns
 * it and only this user can write or move it, in a trusted folder, and on Windows, where Node reports no owners.
 */
export function explainDistrust(file: string, env: Environment): string | undefined {
  if (process.getuid === undefined) return undefined
  const problem = findProblem(file, process.getuid())
  return problem === undefined || isInTrustedFolder(file, env) ? undefined : problem
}

export function describeIgnored(file: string, problem: string, folder: string): string {
  return `${file} is ignored: ${problem}. If it is yours, set RUNLEDGER_TRUSTED_FOLDERS=${folder}`
}

function findProblem(file: string, uid: number): string | undefined {
  const folder = path.dirname(file)
  try {
    if (lstatSync(file).uid !== uid || statSync(file).uid !== uid) return `another user owns ${file}`
    if (isOpen(statSync(file), uid)) return `others may write to ${file}`
    const above = statSync(folder)
    // Write permission on a folder allows replacing its files; in a sticky folder such as /tmp, only one's own.
    if (above.uid !== uid && above.uid !== ROOT) return `another user owns ${folder}`
    return isOpen(above, uid) && !isSticky(above) ? `others may write to ${folder}` : undefined
  } catch {
    return `this user may not look at ${file}`
  }
}

const ROOT = 0

/** By convention, a group with its user's number has no other member. */
function isOpen({ mode, gid }: Stats, uid: number): boolean {
  return (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== uid)
}

function isSticky({ mode }: Stats): boolean {
  return (mode & 0o1000) !== 0
}

/** Folders that the user or the CI named. */
function isInTrustedFolder(file: string, env: Environment): boolean {
  const named = env['RUNLEDGER_TRUSTED_FOLDERS']?.split(path.delimiter) ?? []
  const workspaces = [...WORKSPACES, ...(env['JENKINS_URL'] ? ['WORKSPACE'] : [])].map((name) => env[name])
  const real = resolveLinks(file)
  return [...named, ...workspaces]
    .flatMap((folder) => (folder && path.isAbsolute(folder) ? [resolveLinks(folder)] : []))
    .some((folder) => isInside(real, folder))
}
