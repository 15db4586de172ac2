import type { AnyInput, ErrorCode, OperationName } from '../../packages/protocol/src/index'
import type { Asker, World } from './world'

/** What an operation answers in one situation. `input` makes the situation, anew each time it is called. */
export interface ContractCase {
  operation: OperationName
  /** 'ok': status 200. */
  answers: 'ok' | ErrorCode
  /** Tells cases with the same response apart. */
  when?: string
  /** Default: everybody whom the table of operations lets; for an error the user. */
  as?: readonly Asker[]
  input(world: World): ContractInput | Promise<ContractInput>
  /** Looks further at what was answered. */
  check?(answer: never, world: World, input: ContractInput): void | Promise<void>
}

export interface ContractInput extends AnyInput {
  headers?: Record<string, string>
}
