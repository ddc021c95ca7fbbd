import t from 'tap'
import { AllowedOrigins } from '../../../src/http/client/allowed-origins.ts'

t.test('origins are compared as text, and a star matches the labels before a name', async (t) => {
  const origins = new AllowedOrigins([
    'https://one.example',
    'https://*.app.example',
    'http://*.localhost:3000',
    'capacitor://localhost',
  ])
  for (const origin of [
    'https://one.example',
    'https://a.app.example',
    'https://a_b-1.c.app.example',
    'https://xn--bcher-kva.app.example',
    'http://wallet.localhost:3000',
    'capacitor://localhost',
  ]) {
    t.ok(origins.has(origin), origin)
  }
  for (const origin of [
    'null',
    '',
    'http://one.example',
    'https://one.example:8443',
    'https://app.example',
    'https://.app.example',
    'https://evilapp.example',
    'http://a.app.example',
    'https://a.app.example:8443',
    'https://a.app.example.evil.example',
    'https://evil.example/.app.example',
    'https://evil.example#.app.example',
    'https://evil.example@a.app.example',
    'https://evil.example:1.app.example',
    'https://*.app.example',
    'http://wallet.localhost:3001',
    'ionic://localhost',
  ]) {
    t.notOk(origins.has(origin), origin)
  }
})
