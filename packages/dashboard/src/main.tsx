import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app'
import { watchSessionToken } from './api/session-token'
import './styles.css'

watchSessionToken(() => location.reload())

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no element with the id "root"')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
