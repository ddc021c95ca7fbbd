/** Every rule that material can be refused by, as docs/verification.md lists them by family; a metric has each. */
export const RULES: readonly string[] = `
  accounts amount approval associated_account authority bridge bridge_order bridge_swap calldata chain
  chain_id close_destination coins command compute_budget compute_unit_price custom_payload deadline decimals
  deposit destination_account destination_call destination_chain encoding executor fee fee_payer fees flags
  from gas gas_owner input instruction jetton_wallet kind lookup_table minimum mints one_message
  opened_accounts operation package parse payload permission permit platform_fee pools positive_slippage
  priority_fee program quoted_amount received_token recipient referral refund route router selector sender
  sent_token signers simulation size slippage source_chain source_swaps spender state_init swap_target
  system_instruction taker to token_instruction token_program tokens transfer_amount transfer_destination
  unsigned unwrap valid_until value version
`
  .trim()
  .split(/\s+/)
