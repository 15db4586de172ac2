// What an S3 store answers, as far as the service reads it.

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }

/** The text of the first element of this name; empty without one. */
export function readElement(xml: string, name: string): string {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? ''
}

export function decodeXml(text: string): string {
  return text.replaceAll(/&(\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole)
}

/** Status and code of the store's answer; what else is in it may name keys. */
export function describeRefusal(status: number, text: string): string {
  const [, code = ''] = /<Code>(\w+)<\/Code>/.exec(text) ?? []
  return `the store answered ${status} ${code}`.trim()
}
