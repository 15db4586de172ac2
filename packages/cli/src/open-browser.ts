import { spawn } from 'node:child_process'
import type { CommandContext } from './command-context'

/** Some commands run until the browser is closed: one that has not failed by then has opened it. */
const PATIENCE_MS = 2_000

/** What opens an address on this system; undefined where nobody would see the browser. */
export function findBrowser(
  env: CommandContext['env'],
  platform: string = process.platform,
): CommandContext['openBrowser'] {
  if (env['CI']) return undefined
  if (platform === 'darwin') return (url) => run('open', [url])
  // Not `start`, a command of the shell, which obeys the `&` in an address.
  if (platform === 'win32') return (url) => run('rundll32', ['url.dll,FileProtocolHandler', url])
  const hasScreen = env['DISPLAY'] || env['WAYLAND_DISPLAY'] || env['BROWSER']
  return hasScreen ? (url) => run('xdg-open', [url]) : undefined
}

function run(command: string, args: string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'ignore', detached: true })
    const timer = setTimeout(() => resolve(true), PATIENCE_MS)
    const end = (isOpen: boolean) => {
      clearTimeout(timer)
      resolve(isOpen)
    }
    child.once('error', () => end(false))
    child.once('exit', (code) => end(code === 0))
    child.unref()
  })
}
