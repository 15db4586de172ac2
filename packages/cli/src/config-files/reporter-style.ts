import type { ConfigFramework } from '../find-frameworks'
import type { ConfigSource } from './config-source'
import type { ReporterStyle } from './reporter-list'

const asIs = (code: string): string => code
const LIST: ReporterStyle = { property: 'reporters', item: asIs, usual: 'default', takesText: true }

const STYLES: Record<ConfigFramework['name'], ReporterStyle> = {
  Jest: { ...LIST, takesText: false },
  Vitest: LIST,
  Playwright: { property: 'reporter', item: (code) => `[${code}]`, usual: 'list', takesText: true },
}

/** Vitest has this reporter on GitHub by itself, but only where a config names none. */
const ON_GITHUB = "...(process.env.GITHUB_ACTIONS ? ['github-actions'] : [])"

export function styleOf({ name }: ConfigFramework, isOnGithub = false): ReporterStyle {
  return name === 'Vitest' && isOnGithub ? { ...STYLES.Vitest, onGithub: ON_GITHUB } : STYLES[name]
}

/** The reporter as an item of a config's list, with its options where it has some. */
export function writeItem(framework: ConfigFramework, { quote, isJson, procedureId }: ItemForm): string {
  const name = `${quote}${framework.reporter}${quote}`
  if (procedureId === undefined) return styleOf(framework).item(name)
  const key = isJson ? '"procedureId"' : 'procedureId'
  return `[${name}, { ${key}: ${writeText(procedureId, quote)} }]`
}

interface ItemForm extends Pick<ConfigSource, 'quote' | 'isJson'> {
  procedureId?: string | undefined
}

function writeText(text: string, quote: "'" | '"'): string {
  const json = JSON.stringify(text)
  return quote === '"'
    ? json
    : `'${json
        .slice(1, -1)
        .replaceAll(String.raw`\"`, '"')
        .replaceAll("'", String.raw`\'`)}'`
}
