/** Undefined for anything but http and https. */
export function webLink(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text)) return undefined
  try {
    return new URL(text).href
  } catch {
    return undefined
  }
}
