import { useId } from 'react'

interface KeyFieldProps {
  value: string
  onChange: (key: string) => void
  label?: string
}

/** Asks for an API key where the session, which may only read, is not enough. */
export function KeyField({
  value,
  onChange,
  label = 'Your API key: signed in to these pages you may only read',
}: KeyFieldProps) {
  const id = useId()
  return (
    <div className="min-w-0 grow basis-60">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="password"
        autoComplete="off"
        required
        value={value}
        onChange={({ target }) => onChange(target.value)}
        className="mt-1 min-h-9 w-full rounded-md border border-soft bg-surface px-2"
      />
    </div>
  )
}

/** The headers of a request with this key instead of the session. */
export function withKey(key: string): { headers: Record<string, string> } {
  return { headers: { authorization: `Bearer ${key.trim()}` } }
}
