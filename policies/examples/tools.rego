# Allows commands only after a dry run in the same session, and no tools for keys with a high risk score.
package gateway.policy

deny contains "run dry_run_command before run_command" if {
  input.request.method == "mcp_tool_call"
  input.request.tool_name == "run_command"
  not "dry_run_command" in input.session.tools_called
}

deny contains reason if {
  input.agent_risk.risk_score > 60
  input.request.method == "mcp_tool_call"
  reason := sprintf("this key may not call tools while its risk is %v", [input.agent_risk.risk_score])
}
