import { TextField } from '../ui/field'

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
  return <TextField label={label} type="password" value={value} onChange={onChange} />
}

/** The headers of a request with this key instead of the session. @throws Error if it cannot be a key */
export function withKey(key: string): { headers: Record<string, string> } {
  const typed = key.trim()
  if (!/^[\w-]+$/.test(typed))
    throw new Error('This is not an API key: it begins with rl_ and has letters, digits, - and _.')
  return { headers: { authorization: `Bearer ${typed}` } }
}
