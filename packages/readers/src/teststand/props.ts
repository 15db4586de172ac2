import { MAX_NAME, type TextList } from '../unit/text-list'
import { readNumber } from '../xml-tree'
import type { XmlElement } from '../xml'

/** The property at a path of names below another, as TestStand writes them. */
export function prop(element: XmlElement | undefined, ...names: string[]): XmlElement | undefined {
  return names.reduce<XmlElement | undefined>(
    (one, name) => one?.children.find((child) => child.name === 'Prop' && child.attributes['Name'] === name),
    element,
  )
}

/** The value of a property as text; undefined where it is blank or not there. */
export function propText(element: XmlElement | undefined, ...names: string[]): string | undefined {
  return valueOf(prop(element, ...names))
}

/** @throws ReadError for another text */
export function propNumber(element: XmlElement | undefined, ...names: string[]): number | undefined {
  const found = prop(element, ...names)
  return found && readNumber(valueOf(found), found)
}

export function valueOf(element: XmlElement | undefined): string | undefined {
  return (
    element?.children.find((child) => child.name === 'Value' && child.children.length === 0)?.text.trim() ||
    undefined
  )
}

export function itemsOf(list: XmlElement | undefined): XmlElement[] {
  const values = list?.children.filter((child) => child.name === 'Value') ?? []
  return values.flatMap((value) => value.children.filter((child) => child.name === 'Prop').slice(0, 1))
}

const nameOf = (element: XmlElement) => (element.attributes['Name'] ?? '').slice(0, MAX_NAME)

/** Adds every value at or below a property, as `Name.Inner = value`. */
export function addLeaves(element: XmlElement, list: TextList, path = nameOf(element)): void {
  const own = element.children.filter((child) => child.name === 'Value' && child.children.length === 0)
  const values = own.map((value) => value.text.trim()).filter((text) => text !== '')
  list.add(path, values.join(', '))
  for (const child of element.children) {
    if (child.name === 'Prop') addLeaves(child, list, `${path}.${nameOf(child)}`)
    if (child.name !== 'Value') continue
    const item = `${path}${child.attributes['ID']?.slice(0, MAX_NAME) ?? ''}`
    for (const one of child.children) if (one.name === 'Prop') addLeaves(one, list, item)
  }
}
