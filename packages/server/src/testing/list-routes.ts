import type { FastifyInstance } from 'fastify'

export interface RegisteredRoute {
  method: string
  /** With `{}` for a parameter, whatever its name. */
  path: string
}

const LINE = /^((?:│ {3}| {4})*)[├└]── (.*?)(?: \(([A-Z, ]+)\))?$/

// Routes that name one parameter differently are printed together.
const PARAMETER = /:\w+(?:\|:\w+)*/g

/** Every route that the router really has, read from the tree that it prints. */
export function listRoutes(app: FastifyInstance): RegisteredRoute[] {
  const above: string[] = []
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent, part, methods] = LINE.exec(line) ?? []
      if (indent === undefined || part === undefined) return []
      const depth = indent.length / 4
      const path = (above[depth - 1] ?? '') + part
      above[depth] = path
      const written = path.replaceAll(PARAMETER, '{}')
      return (methods?.split(', ') ?? []).map((method) => ({ method, path: written }))
    })
}
