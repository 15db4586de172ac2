import type { OpenApiDocument, OpenApiOperation, OpenApiPath } from '@runledger/protocol'

/** An operation of the description with where it is. */
export interface DescribedOperation extends OpenApiOperation {
  method: string
  path: string
}

export interface OperationGroup {
  tag: string
  operations: DescribedOperation[]
}

/** The operations by tag, in the order of the description; only those that have every word of the search. */
export function listOperations({ paths, tags }: OpenApiDocument, search = ''): OperationGroup[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const all = Object.entries(paths).flatMap(([path, item]) => listOfPath(path, item))
  const found = all.filter((operation) => {
    const { method, path, summary, operationId } = operation
    const text = `${method} ${path} ${summary} ${operationId} ${operation.tags.join(' ')}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  return tags
    .map(({ name }) => ({
      tag: name,
      operations: found.filter((operation) => operation.tags.includes(name)),
    }))
    .filter(({ operations }) => operations.length > 0)
}

function listOfPath(path: string, item: OpenApiPath): DescribedOperation[] {
  return (Object.entries(item) as [string, OpenApiOperation][]).map(([method, operation]) => ({
    ...operation,
    method: method.toUpperCase(),
    path,
  }))
}
