/** A text to follow as a link: only an address of http or https, undefined for anything else. */
export function webLink(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text)) return undefined
  try {
    return new URL(text).href
  } catch {
    return undefined
  }
}
