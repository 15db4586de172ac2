import type { FastifyInstance } from 'fastify'

export interface RegisteredRoute {
  method: string
  /** With `{name}` for a parameter, as the table of operations writes it. */
  path: string
}

const LINE = /^((?:│ {3}| {4})*)[├└]── (.*?)(?: \(([A-Z, ]+)\))?$/

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
      const written = path.replaceAll(/:(\w+)/g, '{$1}')
      return (methods?.split(', ') ?? []).map((method) => ({ method, path: written }))
    })
}
