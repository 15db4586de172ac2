import type { OpenApiDocument } from '@runledger/protocol'
import { Search } from 'lucide-react'
import { useId } from 'react'
import { Prose } from './schema-view'

interface InterfaceHeadProps {
  description: OpenApiDocument
  search: string
  onSearch: (search: string) => void
  onApiKey: (apiKey: string) => void
}

/** Facts about every operation, the search, and the key to try them with. */
export function InterfaceHead({ description, search, onSearch, onApiKey }: InterfaceHeadProps) {
  const [server] = description.servers
  return (
    <>
      <div className="flex flex-col gap-2">
        <h1 className="text-2xl font-semibold">API</h1>
        <p className="text-soft wrap-anywhere">
          Version {description.info.version} at <code className="font-mono">{server?.url}</code>, described in{' '}
          <a href="/openapi.json" className="underline">
            OpenAPI {description.openapi}
          </a>
          .
        </p>
        <details>
          <summary className="font-medium">What holds for every operation</summary>
          <div className="mt-2 flex max-w-prose flex-col gap-2 text-sm">
            {description.info.description.split('\n\n').map((paragraph) => (
              <p key={paragraph}>
                <Prose text={paragraph} />
              </p>
            ))}
          </div>
        </details>
      </div>
      <div className="grid items-start gap-3 md:grid-cols-2">
        <SearchField search={search} onSearch={onSearch} />
        <KeyField onApiKey={onApiKey} />
      </div>
    </>
  )
}

const INPUT = 'min-h-9 w-full rounded-md border border-soft bg-surface px-2 placeholder:text-soft'

function SearchField({ search, onSearch }: Pick<InterfaceHeadProps, 'search' | 'onSearch'>) {
  const inputId = useId()
  return (
    <div role="search" className="flex flex-col gap-1">
      <label htmlFor={inputId} className="text-sm font-medium">
        Find an operation
      </label>
      <span className="relative">
        <Search aria-hidden className="pointer-events-none absolute top-2.5 left-2.5 size-4 text-soft" />
        <input
          id={inputId}
          type="search"
          placeholder="Path, method or purpose"
          value={search}
          onChange={({ target }) => onSearch(target.value)}
          className={`${INPUT} pl-8`}
        />
      </span>
    </div>
  )
}

function KeyField({ onApiKey }: Pick<InterfaceHeadProps, 'onApiKey'>) {
  const inputId = useId()
  const hintId = useId()
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={inputId} className="text-sm font-medium">
        API key to try with
      </label>
      <input
        id={inputId}
        type="password"
        autoComplete="off"
        spellCheck={false}
        aria-describedby={hintId}
        // Without a value of React's, which would write it into the document.
        onChange={({ target }) => onApiKey(target.value.trim())}
        className={`${INPUT} font-mono`}
      />
      <p id={hintId} className="text-sm text-soft">
        Kept by this page alone, until it is left. Without one, what only reads is sent with your session.
      </p>
    </div>
  )
}
