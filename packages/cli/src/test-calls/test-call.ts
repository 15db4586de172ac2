import type { Program } from './programs'
import type { Word } from './shell-words'

export interface CallWord extends Word {
  script: string
  dir: string
}

/** A command of a script that runs tests, with what the scripts around it add. */
export interface TestCall {
  /** The script that people call. Undefined for a framework that no script runs. */
  script: string | undefined
  program: Program
  /** The last word of the program's name; its arguments follow. */
  head: CallWord | undefined
  args: readonly CallWord[]
  /** Node's own options, before the program. */
  nodeArgs: readonly string[]
  /** Variables that the scripts set. */
  env: Readonly<Record<string, string>>
  /** Variables whose values only a shell knows (`URL=$HOST`). */
  computedEnv: readonly string[]
  dir: string
  /** Whether only a shell knows the folder (`cd $DIR`). */
  isDirComputed: boolean
}

/** The command that people type where no script runs a framework. */
export function createBareCall(program: Program, dir: string): TestCall {
  return {
    script: undefined,
    program,
    head: undefined,
    args: [],
    nodeArgs: [],
    env: {},
    computedEnv: [],
    dir,
    isDirComputed: false,
  }
}

/** Names the parts of a call that only a shell knows. Undefined if there are none. */
export function describeComputed({ args, computedEnv, isDirComputed }: TestCall): string | undefined {
  const parts = [
    ...(isDirComputed ? ['the folder that it runs in'] : []),
    ...(args.some(({ isComputed }) => isComputed) ? ['its arguments'] : []),
    ...computedEnv,
  ]
  return parts.length === 0 ? undefined : `only a shell knows ${parts.join(', ')}`
}
