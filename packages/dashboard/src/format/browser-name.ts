const BROWSERS: readonly (readonly [mark: RegExp, name: string])[] = [
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

const SYSTEMS: readonly (readonly [mark: RegExp, name: string])[] = [
  [/\bWindows\b/, 'Windows'],
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

/** Such as "Firefox on Linux"; what else is called so as it is. Browsers name each other: the first mark counts. */
export function browserName(userAgent: string | null): string {
  if (userAgent === null) return 'Unknown browser'
  const [browser, system] = [BROWSERS, SYSTEMS].map(
    (marks) => marks.find(([mark]) => mark.test(userAgent))?.[1],
  )
  if (browser === undefined) return userAgent
  return system === undefined ? browser : `${browser} on ${system}`
}
