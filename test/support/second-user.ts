import { execFileSync, spawnSync } from 'node:child_process'

/** An account of nobody: what it makes belongs to neither root nor anybody else. */
const OTHER_USER = '54321'

const AS_OTHER = ['--reuid', OTHER_USER, '--regid', OTHER_USER, '--clear-groups']

/** Only root can act as another user. */
export function canBeSecondUser(): boolean {
  return process.getuid?.() === 0 && spawnSync('setpriv', [...AS_OTHER, 'true']).status === 0
}

/** Runs a shell script as an unprivileged user of this machine, in a folder. */
export function runAsSecondUser(script: string, dir: string): string {
  const env = { PATH: process.env['PATH'], HOME: dir }
  return execFileSync('setpriv', [...AS_OTHER, 'sh', '-ec', script], { cwd: dir, env, encoding: 'utf8' })
}
