/**
 * A comparison of a sandboxed gateway, where one provider builds and one gives a second opinion.
 *
 * Source: §4.10 (no contract)
 */
import type { Example } from '../../http/route.ts'

export const COMPARISONS = {
  ton: {
    request: {
      chain: 'ton',
      side: 'buy',
      token: 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs',
      amount: '2',
      slippageBps: 100,
      from: 'EQCM3B12QK1e4yZSf8GtBRT0aLMNyEsBc_DhVfRRtOEffLez',
    },
    reply: {
      quotes: [
        {
          provider: 'swapcoffee',
          chain: 'ton',
          chainId: null,
          side: 'buy',
          from: 'EQCM3B12QK1e4yZSf8GtBRT0aLMNyEsBc_DhVfRRtOEffLez',
          amountIn: '2000000000',
          amountInHuman: 2,
          expectedOut: '3154107',
          expectedOutHuman: 3.154107,
          minOut: '3122565',
          slippageBps: 100,
          priceImpactPct: 0.0001,
          route: {
            hops: [
              {
                dex: 'stonfi_v2',
                pool: 'EQCaEsg_t7M-Gyw8iyNsjIFmr2q-8REy0IB4bLIs_42pXm5_',
              },
            ],
            recommendedGas: 0.2,
            buildBy: 'swapcoffee',
            asOf: 1795307486072,
            seal: 'jfO_xHhg90--OI85gFCmR89t9m_I3FWuskC_kUN9p-A',
            alternatives: [
              {
                provider: 'stonfi',
                outcome: 'offered',
                expectedOut: '3154107',
                minOut: '3122565',
              },
            ],
            raw: '{"input_token":{"address":{"blockchain":"ton","address":"native"},"metadata":{"name":"TON coin","symbol":"TON","decimals":9,"listed":true,"verification":"whitelisted"}},"output_token":{"address":{"blockchain":"ton","address":"EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs"},"metadata":{"name":"Tether USD","symbol":"USDT","decimals":6,"listed":true,"verification":"whitelisted"}},"input_amount":2,"output_amount":3.154107,"input_usd":3.163084584,"output_usd":3.1535928572,"savings":0,"recommended_gas":0.2,"price_impact":-0.000001,"paths":[{"blockchain":"ton","dex":"stonfi_v2","pool_address":"EQCaEsg_t7M-Gyw8iyNsjIFmr2q-8REy0IB4bLIs_42pXm5_","input_token":{"address":{"blockchain":"ton","address":"native"},"metadata":{"name":"TON coin","symbol":"TON","decimals":9,"listed":true,"verification":"whitelisted"}},"output_token":{"address":{"blockchain":"ton","address":"EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs"},"metadata":{"name":"Tether USD","symbol":"USDT","decimals":6,"listed":true,"verification":"whitelisted"}},"swap":{"result":"fully_fulfilled","input_amount":2,"output_amount":3.154107,"left_amount":0},"recommended_gas":0.2,"average_gas":0.08,"next":[]}]}',
          },
          rank: 1,
          differenceBps: 0,
          outlier: false,
          canBuild: true,
          verification: 'proved',
          why: 'The only offer that can be built from.',
        },
        {
          provider: 'stonfi',
          chain: 'ton',
          chainId: null,
          side: 'buy',
          from: 'EQCM3B12QK1e4yZSf8GtBRT0aLMNyEsBc_DhVfRRtOEffLez',
          amountIn: '2000000000',
          amountInHuman: 2,
          expectedOut: '3154107',
          expectedOutHuman: 3.154107,
          minOut: '3122565',
          slippageBps: 100,
          priceImpactPct: 0,
          route: {
            pool: 'EQCaEsg_t7M-Gyw8iyNsjIFmr2q-8REy0IB4bLIs_42pXm5_',
            router: 'EQBB6AeYupUE83C77VPJIjDoN-Pl3CwOW0PzDTEjveAu63Hf',
            buildBy: 'swapcoffee',
            asOf: 1795307486087,
            seal: 'WBMfiQx_cuSqW0zatnWKXFSPP9VXRYnqUNkH4lu6RAU',
            alternatives: [
              {
                provider: 'swapcoffee',
                outcome: 'offered',
                expectedOut: '3154107',
                minOut: '3122565',
              },
            ],
            raw: '{"offer_address":"EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM9c","ask_address":"EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs","offer_jetton_wallet":"EQB2zN-hu5K5SRkLj6Bi9wcXN-lCIfCGHV3yeYohTFgHm-YS","ask_jetton_wallet":"EQB0Q1-haedIP-riMChMpC9HDpbb4AMKlnyqnraMVtfzfCgv","router_address":"EQBB6AeYupUE83C77VPJIjDoN-Pl3CwOW0PzDTEjveAu63Hf","pool_address":"EQCaEsg_t7M-Gyw8iyNsjIFmr2q-8REy0IB4bLIs_42pXm5_","offer_units":"2000000000","ask_units":"3154107","min_ask_units":"3122565","recommended_min_ask_units":"3122565","recommended_slippage_tolerance":"0.01","slippage_tolerance":"0.01","swap_rate":"1.5770535","price_impact":"0","fee_address":"EQDFyHPdhJOqNgmkvUOTWpSaAAcC0et8F676JHVrynYM_YK8","fee_units":"6000000","fee_percent":"0.003","gas_params":{"gas_budget":"300000000","forward_gas":"240000000","estimated_gas_consumption":"58400000"},"router":{"address":"EQBB6AeYupUE83C77VPJIjDoN-Pl3CwOW0PzDTEjveAu63Hf","major_version":2,"minor_version":1,"router_type":"ConstantProduct","pton_master_address":"EQCdBlwyM1gq93TPylkxbyQHqBpmnjwkxHhpYyweYQF9VyFU","pton_wallet_address":"EQCb08eOp1M_g3ewQX-PEIjLqWsjLSC39N5s4kzV5jMJCQ2j","pton_version":"2.1","pool_creation_enabled":true}}',
          },
          rank: 2,
          differenceBps: 0,
          outlier: false,
          canBuild: false,
          verification: 'proved',
          why: 'A second opinion, which cannot be built from: as much as swapcoffee offers.',
        },
      ],
      missing: [],
      fairOut: '3163600',
    },
  },
} satisfies Readonly<Record<string, Example>>
