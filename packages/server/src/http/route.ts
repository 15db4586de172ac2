import type { z } from 'zod'
import type { Context } from '../context'
import type { Principal } from '../keys/principal'
import { parseInput } from './parse-input'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** `key`: an API key; `none`: no credentials. A dashboard session counts as a key for GET only. */
export type RouteAuth = 'key' | 'none'

/** What came in, before any of it is checked. */
export interface RawInput {
  params: unknown
  query: unknown
  body: unknown
  headers: Record<string, string | string[] | undefined>
}

/** One line of the table of routes. */
export interface Route {
  method: Method
  path: string
  auth: RouteAuth
  answer(context: Context, input: RawInput, principal: Principal | undefined): Promise<unknown>
}

interface Checked<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> {
  context: Context
  principal: Principal
  params: z.output<Params>
  query: z.output<Query>
  body: z.output<Body>
  headers: RawInput['headers']
}

interface KeyRoute<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> {
  method: Method
  path: string
  params?: Params
  query?: Query
  body?: Body
  operation(checked: Checked<Params, Query, Body>): Promise<unknown>
}

/** A route that needs an API key. Its schemas check what came in before the operation sees it. */
export function defineRoute<
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
>({ method, path, params, query, body, operation }: KeyRoute<Params, Query, Body>): Route {
  return {
    method,
    path,
    auth: 'key',
    async answer(context, input, principal) {
      if (!principal) throw new Error(`${method} ${path} was reached without a principal`)
      return operation({
        context,
        principal,
        headers: input.headers,
        params: parseInput(params, input.params),
        query: parseInput(query, input.query),
        body: parseInput(body, input.body),
      })
    },
  }
}
