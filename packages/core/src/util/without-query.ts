/** An address fit for messages: no query string (upload addresses are signed there), no user or password. */
export function withoutQuery(url: string): string {
  try {
    const { origin, pathname } = new URL(url)
    return `${origin}${pathname}`
  } catch {
    return '(an address that cannot be read)'
  }
}
