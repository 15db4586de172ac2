type GetBuiltIn = (id: string) => unknown

/**
 * A module of Node's own, without an import: test files load this code again and again, browsers among them, where there
 * is none and the answer is undefined.
 */
export function getBuiltIn<Module>(id: string): Module | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: GetBuiltIn } }
  return process?.getBuiltinModule?.(id) as Module | undefined
}
