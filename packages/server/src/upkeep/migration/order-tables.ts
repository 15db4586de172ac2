import type { Table } from './table-store'

/** Tables come after those that their rows refer to. */
export function orderByReferences(tables: readonly Table[]): Table[] {
  const ordered = new Set<Table>()
  const under = new Set<Table>()
  const add = (table: Table): void => {
    if (ordered.has(table) || under.has(table)) return
    under.add(table)
    for (const { table: name } of table.references) {
      const found = tables.find((each) => each.name === name)
      if (found) add(found)
    }
    ordered.add(table)
  }
  for (const table of tables) add(table)
  return [...ordered]
}
