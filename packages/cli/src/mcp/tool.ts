import type { Service } from '@runledger/core/tools'
import type * as z from 'zod'

/** A question that assistants can ask, or a change that they can make. */
export interface Tool {
  name: string
  title: string
  description: string
  input: z.ZodType
  isWriting: boolean
  /** The answer as Markdown. What it throws is answered as an error. */
  answer: (service: Service, input: unknown) => Promise<string>
}

interface ToolOf<Schema extends z.ZodType> extends Omit<Tool, 'input' | 'answer' | 'isWriting'> {
  input: Schema
  isWriting?: boolean
  answer: (service: Service, input: z.output<Schema>) => Promise<string>
}

/** Binds what a tool does to the shape of what it is asked with. */
export function defineTool<Schema extends z.ZodType>(tool: ToolOf<Schema>): Tool {
  return {
    isWriting: false,
    ...tool,
    // The server has checked it against `input`, whose output it is.
    answer: (service, input) => tool.answer(service, input as z.output<Schema>),
  }
}
